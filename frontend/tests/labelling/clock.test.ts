import { describe, expect, it } from "vitest";
import { IDLE, leftInWords, newWatch, shown, takeSeconds, touched } from "../../src/labelling/time";

const seconds = (watch: Parameters<typeof takeSeconds>[0], now: number): number => takeSeconds(watch, now)[0];

describe("the time at a question", () => {
  it("counts while there is input", () => {
    expect(seconds(touched(newWatch(0, true), 50_000), 100_000)).toBe(100);
  });

  it("stops a minute after the last input", () => {
    expect(seconds(newWatch(0, true), 10 * IDLE)).toBe(60);
  });

  it("goes on with the next input, without the time between", () => {
    expect(seconds(touched(newWatch(0, true), 600_000), 605_000)).toBe(65);
  });

  it("does not count while the page is hidden", () => {
    const hidden = shown(newWatch(0, true), false, 5000);
    expect(seconds(touched(shown(hidden, true, 40_000), 40_000), 42_000)).toBe(7);
  });

  it("is counted once", () => {
    const [first, rest] = takeSeconds(newWatch(0, true), 3000);
    expect([first, seconds(rest, 5000)]).toEqual([3, 2]);
  });
});

describe("the time left", () => {
  it("is told in minutes, and in seconds when it is short", () => {
    expect([2880, 120, 119.9, 65, 0].map(leftInWords)).toEqual(["48 min", "2 min", "1:59", "1:05", "0:00"]);
  });
});
