import { describe, expect, it } from "vitest";
import { localize, localTime, withLocalTimes } from "../src/local_time";

describe("a time", () => {
  it("is shown in the reader's zone, which it names", () => {
    document.documentElement.lang = "en";
    expect(localTime(new Date("2026-11-22T17:41:00Z"), "Europe/Berlin")).toBe("22 Nov 2026, 18:41 CET");
    expect(localTime(new Date("2026-07-01T23:30:00Z"), "Asia/Kolkata")).toMatch(/^2 Jul 2026, 05:00 \S+/);
  });

  it("is found in a text of the server", () => {
    const text = "You can go on from 22 Nov 2026, 23:41 UTC.";
    expect(withLocalTimes(text, "Europe/Berlin")).toBe("You can go on from 23 Nov 2026, 00:41 CET.");
    expect(withLocalTimes("Look again in a while.", "Europe/Berlin")).toBe("Look again in a while.");
  });

  it("replaces the server's own words on a page, and leaves what is not a time", () => {
    document.body.innerHTML = '<time datetime="2026-11-22T17:41:00+00:00">22 Nov 2026, 17:41 UTC</time><time datetime="soon">soon</time>';
    localize(document, "America/New_York");
    expect([...document.querySelectorAll("time")].map((time) => time.textContent)).toEqual(["22 Nov 2026, 12:41 GMT-5", "soon"]);
  });
});
