package report

// pageStyle is the style of a page of [HTML]: light or dark as the reader's system is, from 400 pixels to wide
// screens, and on paper. Blue is positive, orange negative; signs and words say the same. It has no & and no <, so
// that the page is well-formed XML too.
const pageStyle = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f7f8fa; --ink: #1b1f24; --dim: #5b6470; --rule: #dfe3e8;
  --plus: #0969da; --minus: #bc4c00; --link: #0757b8; --sure: #1a7f37; --solved: #7fb3ea; --wrong: #eda36c; --none: #b4bcc6; --heat: #0a4a9c; --cell: #000000; --hot: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1117; --raised: #151b23; --ink: #e6edf3; --dim: #98a2ae; --rule: #2b323b;
    --plus: #58a6ff; --minus: #f0883e; --link: #79b8ff; --sure: #3fb950; --solved: #2f5f96; --wrong: #8a4b1c; --none: #484f58; --heat: #4f97ea; --cell: #ffffff; --hot: #000000;
  }
}
* { box-sizing: border-box; }
html { background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif; -webkit-text-size-adjust: 100%; scroll-behavior: smooth; scroll-padding-top: 4.5rem; }
body { margin: 0 auto; max-width: 78rem; padding: 2.2rem clamp(1rem, 4vw, 3rem) 3rem; font-variant-numeric: tabular-nums; }
h1, h2, h3, h4, p, ul, ol, dl, figure, pre { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: 1.75rem; line-height: 1.2; font-weight: 650; letter-spacing: -.015em; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; line-height: 1.3; font-weight: 650; letter-spacing: -.01em; }
h3 { font-size: .95rem; font-weight: 600; }
h4 { font-size: .85rem; font-weight: 600; color: var(--dim); margin: .9rem 0 .3rem; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, button:focus-visible, summary:focus-visible, input:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--plus); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: .5rem; background: var(--ground); padding: .3rem .6rem; }
.eyebrow { color: var(--dim); font-size: .78rem; letter-spacing: .09em; text-transform: uppercase; font-weight: 600; margin-bottom: .25rem; }
.lead { color: var(--dim); font-size: 1.02rem; margin-top: .3rem; }
.note { color: var(--dim); max-width: 52rem; margin: .3rem 0 .9rem; }
.hint { color: var(--dim); font-size: .84rem; line-height: 1.4; }
.doubt { color: var(--minus); font-weight: 500; } .sure { color: var(--sure); font-weight: 500; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); gap: .75rem; margin: 1.4rem 0 1.5rem; }
.tiles li, .card, .chain li { background: var(--raised); border: 1px solid var(--rule); border-radius: 10px; padding: .85rem 1rem; }
.tiles span { display: block; }
.tiles .name { color: var(--dim); font-size: .84rem; }
.tiles .value { font-size: 1.75rem; line-height: 1.25; font-weight: 600; letter-spacing: -.02em; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); column-gap: 2.5rem; font-size: .9rem; }
.facts div { display: grid; grid-template-columns: 6.2rem 1fr; gap: .6rem; padding: .28rem 0; border-top: 1px solid var(--rule); }
.facts dt { color: var(--dim); } .facts dd { margin: 0; overflow-wrap: anywhere; }
nav { position: sticky; top: 0; z-index: 2; background: var(--ground); border-bottom: 1px solid var(--rule); margin: 1.6rem 0 0; padding: .55rem 0; overflow-x: auto; }
nav ul { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; white-space: nowrap; font-size: .88rem; }
nav a { text-decoration: none; } nav a:hover { text-decoration: underline; }
section { margin-top: 2.4rem; } section h2 { margin-bottom: .5rem; }
.chain { display: grid; grid-template-columns: repeat(6, 1fr); gap: 1.35rem; }
.chain li { position: relative; font-size: .86rem; line-height: 1.45; padding: .75rem .85rem; }
.chain li + li::before { content: "→"; position: absolute; left: -1.2rem; top: .7rem; color: var(--dim); }
.chain .choice { color: var(--plus); font-weight: 600; white-space: pre-line; overflow-wrap: anywhere; margin-bottom: .35rem; }
.chain .off { background: none; border-style: dashed; color: var(--dim); } .chain .off .choice { color: var(--dim); font-weight: 400; }
.warnings { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: .75rem; }
.warnings li { border: 1px solid var(--rule); border-left: 4px solid var(--minus); border-radius: 6px; padding: .7rem .95rem; font-size: .92rem; min-width: 0; overflow-wrap: anywhere; }
.warnings .where { color: var(--dim); font-size: .84rem; } .warnings p + p { margin-top: .25rem; }
.warnings .example { font-size: .84rem; } .warnings .advice::before { content: "→ "; color: var(--minus); font-weight: 600; }
.problems li { font: .84rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: .9rem; }
.cards.wide { grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr)); align-items: start; max-width: 66rem; }
.cards + .note, .cards + .facts { margin-top: .9rem; }
figcaption { display: grid; grid-template-columns: auto 1fr; column-gap: .8rem; align-items: baseline; margin-bottom: .35rem; }
figcaption .figures { text-align: right; } figcaption .hint { grid-column: 1 / -1; }
.cards .card { display: flex; flex-direction: column; } .cards .card svg { margin-top: auto; } .cards .card svg + .hint { margin-top: .35rem; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { fill: var(--dim); font-size: 10.5px; } svg .end { text-anchor: end; } svg .middle { text-anchor: middle; }
svg .number { fill: var(--ink); } svg .cell { fill: var(--cell); } svg .hot { fill: var(--hot); font-weight: 600; }
.grid { stroke: var(--rule); fill: none; } .axis { stroke: var(--dim); fill: none; }
.line { stroke: var(--plus); stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; fill: none; } .band { fill: var(--plus); fill-opacity: .16; }
.hovers path { stroke: transparent; pointer-events: stroke; } .hovers path:hover { stroke: var(--ink); stroke-opacity: .1; }
.plus { fill: var(--plus); } .minus { fill: var(--minus); } .wrong { fill: var(--wrong); } .solved { fill: var(--solved); } .none, .zero { fill: var(--none); }
svg text.plus { fill: var(--plus); } svg text.minus { fill: var(--minus); }
.heat { fill: var(--heat); } .choice-mark { fill: none; stroke: var(--minus); stroke-width: 2.5; } .now-mark { stroke: var(--ink); stroke-width: 2; }
g:hover > .heat { stroke: var(--ink); }
.positive { color: var(--plus); } .negative { color: var(--minus); }
.fates { height: 14px; border-radius: 4px; overflow: hidden; margin: .3rem 0 .6rem; }
.legend { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: .1rem 2rem; font-size: .9rem; margin-bottom: 1rem; }
.fate { white-space: nowrap; font-weight: 500; } .fate svg { display: inline-block; width: .62em; height: .62em; margin-right: .4em; }
.scroll { overflow: auto; max-height: 34rem; border: 1px solid var(--rule); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: .86rem; line-height: 1.4; }
caption { text-align: left; max-width: calc(100vw - 3.5rem); color: var(--dim); padding: .6rem .8rem; font-size: .84rem; }
th, td { padding: .32rem .7rem; text-align: right; white-space: nowrap; vertical-align: top; border-top: 1px solid var(--rule); }
th { font-weight: 500; } .t { text-align: left; }
thead th { position: sticky; top: 0; background: var(--raised); font-weight: 600; z-index: 1; }
thead th[title] { cursor: help; } tbody tr:hover { background: var(--raised); }
.prompt, .why { white-space: normal; min-width: 14rem; overflow-wrap: anywhere; } .prompt { max-width: 26rem; } .prompt > * { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; } .why { min-width: 18rem; color: var(--dim); }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
th button::after { content: "\2195"; color: var(--none); margin-left: .25em; } th[aria-sort="ascending"] button::after { content: "\2191"; color: var(--plus); } th[aria-sort="descending"] button::after { content: "\2193"; color: var(--plus); }
.tools { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: .5rem 0; font-size: .86rem; color: var(--dim); }
.tools input, .tools button { font: inherit; color: var(--ink); background: var(--ground); border: 1px solid var(--rule); border-radius: 6px; padding: .3rem .6rem; }
.tools input { width: min(100%, 18rem); }
details.card { margin-bottom: .8rem; } summary { cursor: pointer; overflow-wrap: anywhere; } details + details { margin-top: .6rem; }
pre { font: .84rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--ground); border: 1px solid var(--rule); border-radius: 6px; padding: .6rem .8rem; max-height: 30rem; overflow: auto; unicode-bidi: isolate; }
.card pre { background: var(--ground); } pre.copy { background: var(--raised); user-select: all; margin: .35rem 0 1rem; } pre .cut { color: var(--minus); font-weight: 600; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 1rem; } .pair > div { min-width: 0; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .92em; } q { quotes: none; color: var(--dim); }
footer { margin-top: 3rem; border-top: 1px solid var(--rule); padding-top: 1rem; color: var(--dim); font-size: .86rem; } .complete { margin-top: .3rem; }
.fates-text { white-space: normal; min-width: 9rem; }
@media (max-width: 70rem) { .chain { grid-template-columns: repeat(3, 1fr); } th, td { padding: .32rem .45rem; } .why { min-width: 14rem; } }
@media (max-width: 44rem) { .chain { grid-template-columns: repeat(auto-fill, minmax(9.4rem, 1fr)); } nav ul { flex-wrap: nowrap; } th, td { padding: .32rem .5rem; } .prompt { min-width: 10rem; } .why { min-width: 12rem; } }
@media print {
  :root { --ground: #ffffff; --raised: #ffffff; --ink: #000000; --dim: #444444; --rule: #cccccc; --plus: #0550ae; --minus: #9a3b00; --link: #000000; --sure: #116329; --solved: #7fb3ea; --wrong: #eda36c; --none: #b4bcc6; --heat: #0a4a9c; --cell: #000000; --hot: #ffffff; color-scheme: light; }
  html { font-size: 10.5px; } body { max-width: none; padding: 0; } nav, .tools, .skip { display: none; }
  .scroll, pre { max-height: none; overflow: visible; } thead th { position: static; } .prompt, .why { min-width: 0; } .prompt > * { display: inline; }
  .card, .chain li, .warnings li, tr { break-inside: avoid; } h2, h3 { break-after: avoid; } .cards { grid-template-columns: repeat(3, 1fr); } .cards.wide { grid-template-columns: repeat(2, 1fr); }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
`
