import { describe, expect, it } from "vitest";
import { money, share } from "../../src/labelling/views/words";
import cases from "../../../tests/pipeline/money/amounts.json";

describe("an amount", () => {
  it.each(cases as [number, string, string][])("of %s hundredths in %s is written as the server writes it", (cents, currency, words) => {
    expect(money(cents, currency)).toBe(words);
  });
});

describe("the pay of a part of an assignment", () => {
  it("is the server's share, rounded half up", () => {
    expect([10, 8, 7, 0].map((answered) => share(20, answered, 10))).toEqual([20, 16, 14, 0]);
    expect([share(5, 1, 2), share(1, 1, 3), share(25, 2, 5)]).toEqual([3, 0, 10]);
  });
});
