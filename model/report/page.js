(function () {
  'use strict';
  var doc = document;

  function make(name, text) {
    var e = doc.createElement(name);
    e.textContent = text;
    return e;
  }

  // The number that a cell is sorted by: of a share that in parentheses; NaN if it has none.
  function number(text, kind) {
    var found = (kind === 'share' ? /\((\d+)%\)/ : /([-+−]?[\d.]+(?:e[-+]?\d+)?)([kMG]?)/).exec(text);
    if (!found) return NaN;
    return parseFloat(found[1].replace('−', '-')) * ({ k: 1e3, M: 1e6, G: 1e9 }[found[2]] || 1);
  }

  function compare(kind, sign) {
    if (kind === 'text') return function (a, b) { return sign * a.key.localeCompare(b.key); };
    return function (a, b) {
      var x = number(a.key, kind), y = number(b.key, kind);
      if (isNaN(x) || isNaN(y)) return Number(isNaN(x)) - Number(isNaN(y)); // what is missing comes last
      return sign * (x - y);
    };
  }

  function sortBy(table, column) {
    var head = table.tHead.rows[0].cells[column], body = table.tBodies[0];
    var down = head.getAttribute('aria-sort') === 'ascending';
    Array.from(table.tHead.rows[0].cells).forEach(function (other) { other.removeAttribute('aria-sort'); });
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    Array.from(body.rows).map(function (row) { return { row: row, key: row.cells[column].textContent }; })
      .sort(compare(head.dataset.kind, down ? -1 : 1))
      .forEach(function (entry) { body.appendChild(entry.row); });
  }

  function tools(table) {
    var bar = doc.createElement('div'), field = doc.createElement('input'), said = make('span', '');
    bar.className = 'tools';
    field.type = 'search';
    field.placeholder = 'search the rows';
    field.setAttribute('aria-label', 'search the rows of the table');
    said.setAttribute('aria-live', 'polite');
    field.addEventListener('input', function () {
      var words = field.value.toLowerCase().split(/\s+/), shown = 0, rows = Array.from(table.tBodies[0].rows);
      rows.forEach(function (row) {
        var text = row.textContent.toLowerCase();
        row.hidden = !words.every(function (word) { return text.includes(word); });
        shown += row.hidden ? 0 : 1;
      });
      said.textContent = field.value ? shown + ' of ' + rows.length + ' rows' : '';
    });
    bar.append(field, said);
    table.parentNode.before(bar);
  }

  doc.querySelectorAll('table').forEach(function (table) {
    Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
      var button = make('button', head.textContent);
      button.type = 'button';
      button.addEventListener('click', function () { sortBy(table, column); });
      head.replaceChildren(button);
    });
    if (table.tBodies[0].rows.length > 5) tools(table);
  });

  var texts = doc.querySelectorAll('#texts details');
  if (texts.length) {
    var bar = doc.createElement('div'), all = make('button', 'close all');
    bar.className = 'tools';
    all.type = 'button';
    all.addEventListener('click', function () {
      var open = all.textContent === 'open all';
      texts.forEach(function (e) { e.open = open; });
      all.textContent = open ? 'close all' : 'open all';
    });
    bar.append(all);
    texts[0].before(bar);
  }

  addEventListener('beforeprint', function () { doc.querySelectorAll('details').forEach(function (e) { e.open = true; }); });
})();
