/** A headless Chromium, driven over a pipe: no package and no port is needed. */
import {spawn} from "node:child_process";
import {mkdtempSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

export class Browser {
  constructor(program = process.env.CHROMIUM || "chromium") {
    this.folder = mkdtempSync(join(tmpdir(), "fovea-browser-"));
    this.process = spawn(program, ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
      "--remote-debugging-pipe", "--no-first-run", `--user-data-dir=${this.folder}`, "about:blank"],
      {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
    this.next = 0;
    this.waiting = new Map();
    this.listeners = [];
    let rest = "";
    this.process.stdio[4].on("data", bytes => {
      const messages = (rest + bytes).split("\0");
      rest = messages.pop();
      messages.forEach(message => this.receive(JSON.parse(message)));
    });
  }

  receive(message) {
    const done = this.waiting.get(message.id);
    if (!done) return this.listeners.forEach(listener => listener(message));
    this.waiting.delete(message.id);
    if (message.error) done.fail(new Error(message.error.message)); else done.end(message.result);
  }

  call(method, params = {}, sessionId = undefined) {
    const id = ++this.next;
    this.process.stdio[3].write(`${JSON.stringify({id, method, params, sessionId})}\0`);
    return new Promise((end, fail) => this.waiting.set(id, {end, fail}));
  }

  /** A page of its own. It gathers errors and the addresses that it asks for. */
  async open(address, {width = 1280, height = 900, dark = false, touch = false} = {}) {
    const {targetId} = await this.call("Target.createTarget", {url: "about:blank"});
    const {sessionId} = await this.call("Target.attachToTarget", {targetId, flatten: true});
    const page = {
      errors: [],
      requests: [],
      events: [],
      call: (method, params) => this.call(method, params, sessionId),
      close: () => this.call("Target.closeTarget", {targetId}),
      async run(code) {
        const answer =
          await page.call("Runtime.evaluate", {expression: code, awaitPromise: true, returnByValue: true});
        if (answer.exceptionDetails) {
          throw new Error(answer.exceptionDetails.exception?.description || answer.exceptionDetails.text);
        }
        return answer.result.value;
      },
      async key(key, modifiers = 0) {
        const text = key.length === 1 ? key : undefined;
        await page.call("Input.dispatchKeyEvent", {
          type: "keyDown",
          key,
          text,
          modifiers,
          windowsVirtualKeyCode: {
            Tab: 9,
            Enter: 13,
            Escape: 27,
            ArrowLeft: 37,
            ArrowUp: 38,
            ArrowRight: 39,
            ArrowDown: 40,
            Home: 36,
            End: 35
          }[key]
        });
        await page.call("Input.dispatchKeyEvent", {type: "keyUp", key, modifiers});
      },
      mouse: (type, x, y, more = {}) => page.call("Input.dispatchMouseEvent", {type, x, y, ...more}),
    };
    const loaded = new Promise(end => this.listeners.push(message => {
      if (message.sessionId !== sessionId) return;
      const {method, params} = message;
      if (method === "Page.loadEventFired") end();
      if (method === "Runtime.exceptionThrown") {
        page.errors.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
      }
      if (method === "Runtime.consoleAPICalled" && params.type === "error")
        page.errors.push(JSON.stringify(params.args));
      if (method === "Log.entryAdded" && params.entry.level === "error") page.errors.push(params.entry.text);
      if (method === "Network.requestWillBeSent") page.requests.push(params.request.url);
    }));
    for (const domain of ["Page", "Runtime", "Log", "Network", "DOM"]) await page.call(`${domain}.enable`);
    await page.call(
      "Emulation.setDeviceMetricsOverride", {width, height, deviceScaleFactor: 1, mobile: touch});
    await page.call(
      "Emulation.setEmulatedMedia",
      {features: [{name: "prefers-color-scheme", value: dark ? "dark" : "light"}]});
    await page.call("Page.navigate", {url: address});
    await loaded;
    await page.run(
      "new Promise(end => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(end, 50))))");
    return page;
  }

  async close() {
    await this.call("Browser.close").catch(() => {});
    await new Promise(end => this.process.once("exit", end));
    rmSync(this.folder, {recursive: true, force: true, maxRetries: 5});
  }
}
