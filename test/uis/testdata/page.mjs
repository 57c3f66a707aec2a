// A page in Chromium, and what a person does there.
import puppeteer from "puppeteer-core";

// open opens a page. prepare runs in it before its own scripts do.
export async function open(url, prepare, argument) {
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
    defaultViewport: { width: 1300, height: 1000 },
  });
  const page = await browser.newPage();
  const troubles = [];
  page.on("pageerror", (error) => troubles.push(`the page failed: ${error.message}`));
  page.on("response", (response) => {
    if (response.status() >= 400 && !response.url().endsWith("favicon.ico")) troubles.push(`${response.status()} ${response.request().method()} ${response.url()}`);
  });
  if (prepare) await page.evaluateOnNewDocument(prepare, argument);
  await page.goto(url, { waitUntil: "networkidle2" });

  const text = () => page.evaluate(() => document.body.innerText.replace(/\s*\n\s*/g, "\n"));

  // sees waits until the page shows something that matches.
  async function sees(pattern) {
    try {
      await page.waitForFunction((source) => new RegExp(source).test(document.body.innerText.replace(/\s*\n\s*/g, "\n")), { timeout: 20_000 }, pattern.source);
    } catch (error) {
      throw new Error(`the page does not show ${pattern}: ${error.message}\n${await text()}\n${troubles.join("\n")}`);
    }
  }

  // says sends a message.
  async function says(message) {
    await settles();
    await page.waitForSelector("textarea");
    const fields = await page.$$("textarea");
    await fields[fields.length - 1].focus();
    await page.keyboard.type(message);
    await page.keyboard.press("Enter");
  }

  // types writes into the last field whose hint matches.
  async function types(hint, said) {
    let last;
    for (const field of await page.$$("textarea")) {
      if (hint.test(await field.evaluate((element) => element.placeholder))) last = field;
    }
    if (!last) throw new Error(`the page has no field with the hint ${hint}\n${await text()}`);
    await last.focus();
    await page.keyboard.type(said);
  }

  // presses presses the last button whose text matches.
  async function presses(pattern) {
    await page.waitForFunction(
      (source) => [...document.querySelectorAll("button")].some((button) => !button.disabled && new RegExp(source).test(button.innerText.trim())),
      { timeout: 20_000 },
      pattern.source,
    );
    await page.evaluate((source) => {
      [...document.querySelectorAll("button")].filter((button) => !button.disabled && new RegExp(source).test(button.innerText.trim())).pop().click();
    }, pattern.source);
  }

  // settles waits until the page asks the server for nothing. An answer that a person gives before the page has read the thread again names an older state.
  async function settles() {
    await page.waitForNetworkIdle({ idleTime: 500, timeout: 20_000 });
  }

  // close closes the page: nothing may have gone wrong unseen.
  async function close() {
    await browser.close();
    if (troubles.length > 0) throw new Error(troubles.join("\n"));
  }

  return { page, text, sees, says, types, presses, settles, close };
}

// post asks the model of the test for something, and waits until it has happened.
export async function post(url) {
  const answer = await fetch(url, { method: "POST", signal: AbortSignal.timeout(20_000) });
  if (!answer.ok) throw new Error(`${answer.status} ${url}`);
}

// idle waits until no thread of the server has a run.
export async function idle(server) {
  for (let n = 0; n < 200; n++) {
    const answer = await fetch(`${server}/threads/search`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ status: "busy" }),
    });
    if ((await answer.json()).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("a run does not end");
}
