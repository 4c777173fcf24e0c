import { fireEvent, screen } from "@testing-library/preact";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Refusal } from "../../src/api/client";
import { rememberRule } from "../../src/labelling/calls";
import { DEFAULTS, wayOf } from "../../src/labelling/preferences";
import { fakeApi, open, PLACE, wait } from "../support/page";
import { assignment } from "../support/samples";

vi.mock("../../src/canvas/Stage", () => ({ Stage: () => null }));

const TWO_CLICKS = /two opposite corners/;
const DOUBLE_CLICK = /double-click/;
const PREFERENCES = { ...DEFAULTS, confirm_by_double_click: true };
const drawing = { ...PLACE, task: "box_drawing", preferences: PREFERENCES } as const;
const openSettings = async (api = fakeApi(assignment(2, { task: "box_drawing" })), context: Parameters<typeof open>[1] = drawing) => {
  rememberRule(context.task);
  const page = await open(api, context);
  fireEvent.click(screen.getByLabelText("Settings"));
  await wait(0);
  return page;
};
const box = (name: RegExp): HTMLInputElement => screen.getByLabelText(name);

beforeEach(() => void vi.useFakeTimers());

describe("the worker's settings", () => {
  it("stores a change on the server, and shows it at once", async () => {
    const { api } = await openSettings();
    fireEvent.click(box(/Submit by itself/));
    await wait(0);
    expect(api.prefer).toHaveBeenCalledWith({ send_by_itself: true });
    expect(box(/Submit by itself/).checked).toBe(true);
  });

  it("takes double-click confirmation away while two clicks draw", async () => {
    const { api } = await openSettings();
    expect(box(DOUBLE_CLICK).checked).toBe(true);
    fireEvent.click(box(TWO_CLICKS));
    await wait(0);
    expect(api.prefer).toHaveBeenCalledWith({ draw_by: "two clicks", confirm_by_double_click: false });
    expect(box(DOUBLE_CLICK).checked).toBe(false);
    expect(box(DOUBLE_CLICK).disabled).toBe(true);
  });

  it("takes it away, too, where two clicks are the project's way", async () => {
    await openSettings(undefined, { ...drawing, drawBy: "two clicks" });
    expect(box(DOUBLE_CLICK).checked).toBe(false);
    expect(box(DOUBLE_CLICK).disabled).toBe(true);
    expect(wayOf(PREFERENCES, "two clicks")).toEqual({ by: "two clicks", doubleClick: false });
  });

  it("shows what is stored again if the server refuses a change", async () => {
    const api = fakeApi(assignment(2, { task: "box_drawing" }));
    api.prefer.mockRejectedValue(new Refusal(400, "invalid", "No."));
    await openSettings(api);
    fireEvent.click(box(TWO_CLICKS));
    await wait(0);
    expect(box(TWO_CLICKS).checked).toBe(false);
    expect(box(DOUBLE_CLICK).checked).toBe(true);
  });

  it("switches one-letter keys off, and on again", async () => {
    const { api, root } = await openSettings(fakeApi(), PLACE);
    const kbd = (): number => root.querySelectorAll(".answers kbd").length;
    const before = kbd();
    for (const on of [false, true]) {
      fireEvent.click(box(/One-letter keys/));
      await wait(0);
      expect(api.prefer).toHaveBeenLastCalledWith({ one_letter_keys: on });
      expect(kbd()).toBe(on ? before : 0);
    }
    expect(before).toBe(2);
  });

  it("shows nothing about drawing in the other tasks", async () => {
    await openSettings(fakeApi(), PLACE);
    expect(screen.queryByLabelText(DOUBLE_CLICK)).toBeNull();
  });
});
