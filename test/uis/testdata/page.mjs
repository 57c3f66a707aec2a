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
      throw new Error(`the page does not show ${pattern}: ${error.message}\n${await text()}`);
    }
  }

  // says sends a message.
  async function says(message) {
    await page.waitForSelector("textarea");
    const fields = await page.$$("textarea");
    await fields[fields.length - 1].focus();
    await page.keyboard.type(message);
    await page.keyboard.press("Enter");
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

  // close ends the test: nothing may have gone wrong unseen.
  async function close() {
    await browser.close();
    if (troubles.length > 0) throw new Error(troubles.join("\n"));
    console.log("all done");
  }

  return { page, text, sees, says, presses, close };
}
