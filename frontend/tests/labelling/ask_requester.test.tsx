import { fireEvent } from "@testing-library/preact";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Refusal } from "../../src/api/client";
import { CONVERSATION, fakeApi, HIT, open, PLACE, wait } from "../support/page";
import { assignment } from "../support/samples";

vi.mock("../../src/canvas/Stage", () => ({ Stage: () => <svg /> }));

const answerAll = ["1", "Enter"];
const started = () => open(fakeApi(assignment(1, { currency: "USD" })), { ...PLACE, home: "", met: true, session: HIT });

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));

describe("a message to the requester", () => {
  it("is written on the page itself, as a platform's worker has no other, and shows the answer", async () => {
    const posts = [
      { answer: false, text: "Why 0?", at: "2026-11-22T17:41:00Z", read: false },
      { answer: true, text: "We looked.", at: "2026-11-22T18:41:00Z", read: false },
    ];
    const { press, text, api, root } = await started();
    await press(...answerAll);
    fireEvent.click(root.querySelector("[data-ask]") as Element);
    await wait(0);
    api.messages.mockResolvedValue([{ ...CONVERSATION, posts }]);
    const form = root.querySelector("dialog form") as HTMLFormElement;
    (form.elements.namedItem("text") as HTMLTextAreaElement).value = "Why 0?";
    fireEvent.submit(form);
    await wait(0);
    expect(api.write).toHaveBeenCalledWith("demo", { text: "Why 0?", assignment: "t-1" });
    expect(text()).toContain("Your message was sent.");
    expect(text()).toContain("We looked.");
  });

  it("says when it was not sent", async () => {
    const { press, text, api, root } = await started();
    api.write.mockRejectedValue(new Refusal(400, "invalid", "Write a message of 1 to 2,000 characters."));
    await press(...answerAll);
    fireEvent.click(root.querySelector("[data-ask]") as Element);
    await wait(0);
    fireEvent.submit(root.querySelector("dialog form") as Element);
    await wait(0);
    expect(text()).toContain("Write a message of 1 to 2,000 characters.");
  });
});
