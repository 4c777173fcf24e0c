import { beforeEach, describe, expect, it, vi } from "vitest";
import { goBack, sessionOf } from "../../src/labelling/session";

const HIT = {
  platform: "Mechanical Turk",
  placeWord: "HIT",
  wayOut: "Return it there.",
  least: "2",
  quota: "5",
  reward: "40",
  currency: "USD",
  paysTests: "no",
  finishUrl: "https://www.mturk.example/mturk/externalSubmit",
  finishFields: '{"assignmentId": "3ABC", "receipt": "7"}',
};
const STUDY = { ...HIT, platform: "Prolific", placeWord: "study", finishUrl: "https://prolific.example/done?cc=1", finishFields: "{}" };

describe("a session", () => {
  it("is read from the attributes of the page", () => {
    expect(sessionOf(HIT)).toMatchObject({
      platform: "Mechanical Turk",
      word: "HIT",
      wayOut: "Return it there.",
      least: 2,
      quota: 5,
      reward: 40,
      currency: "USD",
      paysTests: false,
      fields: { assignmentId: "3ABC", receipt: "7" },
    });
    expect(sessionOf({ ...STUDY, paysTests: "yes" })).toMatchObject({ platform: "Prolific", word: "study", paysTests: true, fields: {} });
  });

  it("is none where no platform is named", () => {
    expect(sessionOf({ project: "demo" })).toBeNull();
  });
});

describe("the way back", () => {
  const submit = vi.fn(function (this: HTMLFormElement) {});
  const assign = vi.fn();
  beforeEach(() => {
    vi.spyOn(HTMLFormElement.prototype, "submit").mockImplementation(submit);
    submit.mockClear();
    assign.mockReset();
    vi.stubGlobal("location", { assign });
  });
  const go = (data: Record<string, string>): void => {
    const session = sessionOf(data);
    if (session) goBack(session);
  };

  it("is a form with the platform's fields, posted to its address", () => {
    go(HIT);
    const form = document.querySelector("form") as HTMLFormElement;
    expect([form.method, form.action, form.target]).toEqual(["post", HIT.finishUrl, ""]);
    expect([...new FormData(form)]).toEqual([["assignmentId", "3ABC"], ["receipt", "7"]]);
    expect(submit.mock.contexts).toEqual([form]);
    expect(assign).not.toHaveBeenCalled();
  });

  it("is a plain address where the platform wants no fields", () => {
    go(STUDY);
    expect(assign).toHaveBeenCalledExactlyOnceWith(STUDY.finishUrl);
    expect(submit).not.toHaveBeenCalled();
  });
});
