"""A Chromium that is told what to do through a pipe, so that it needs no network, not even that of this machine."""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import time

PATIENCE = 60  # seconds for an answer, of a busy machine


class Browser:
    """One page of a headless Chromium. What it logs, asks of the network or would show in a dialog is collected."""

    def __init__(self, profile):
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()

        def pipes():  # Chromium reads commands from 3 and writes answers to 4
            os.dup2(to_browser, 10)
            os.dup2(from_browser, 11)
            os.dup2(10, 3)
            os.dup2(11, 4)

        arguments = [
            "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={profile}",
            "--no-first-run", "--disable-background-networking", "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank",
        ]
        self.isolated = shutil.which("unshare") is not None and subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode == 0
        if self.isolated:
            arguments = ["unshare", "--net", *arguments]
        self._log = open(pathlib.Path(profile).parent / "chromium.log", "wb")
        self.process = subprocess.Popen(arguments, preexec_fn=pipes, pass_fds=(3, 4), stdout=self._log, stderr=self._log)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._number, self._session = b"", 0, None
        self.messages, self.requests = [], []
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.do(domain + ".enable")

    def do(self, method, **parameters):
        """Sends a command and returns its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _next(self):
        """Returns the next message, and remembers it if it is an event."""
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            part = os.read(self._read, 1 << 20)
            if not part:
                raise EOFError("Chromium ended")
            self._buffer += part
        raw, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(raw)
        self._remember(message.get("method"), message.get("params", {}))
        return message

    def _remember(self, event, p):
        if event == "Runtime.consoleAPICalled":
            self.messages.append("console: " + " ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
        elif event == "Runtime.exceptionThrown":
            self.messages.append("exception: " + p["exceptionDetails"].get("exception", {}).get("description", p["exceptionDetails"]["text"]))
        elif event == "Log.entryAdded":
            self.messages.append("log: " + p["entry"]["text"])
        elif event == "Page.javascriptDialogOpening":
            self.messages.append("dialog: " + p["message"])
        elif event == "Network.requestWillBeSent":
            self.requests.append(p["request"]["url"])
        elif event == "Page.loadEventFired":
            self._loaded = True

    def open(self, path):
        """Opens a file and waits until it is loaded."""
        self.messages, self.requests, self._loaded = [], [], False
        self.do("Page.navigate", url=pathlib.Path(path).as_uri())
        while not self._loaded:
            self._next()

    def ask(self, expression):
        """Returns the value of an expression of JavaScript."""
        answer = self.do("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def show(self, width, scheme="light", media="screen"):
        """Sets the width of the window, and what the reader prefers."""
        self.do("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.do("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def key(self, name, code):
        for kind in ("keyDown", "keyUp"):
            self.do("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, text="\r" if name == "Enter" and kind == "keyDown" else "")

    def picture(self, path):
        """Saves the whole page as a picture."""
        data = self.do("Page.captureScreenshot", captureBeyondViewport=True, format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def paper(self, path):
        """Saves the page as it prints."""
        data = self.do("Page.printToPDF", printBackground=True)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def close(self):
        self._session = None
        self.do("Browser.close")
        self.process.wait(PATIENCE)
        self._log.close()
