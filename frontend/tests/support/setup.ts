/**
 * What every file and every test begins with. Files share a browser, since a new one takes longer than most tests:
 * each file gets modules of its own, each test an empty page.
 */

import { cleanup, configure } from "@testing-library/preact";
import { Fragment, h } from "preact";
import { afterEach, beforeEach, vi } from "vitest";

vi.resetModules();
// What the build imports wherever JSX is.
Object.assign(globalThis, { h, Fragment });
// A mock outlasts its file. A test may mock these modules only, which eslint checks.
vi.doUnmock("../../src/canvas/Stage");
vi.doUnmock("../../src/labelling/session");

// A wait ends with what it waits for, however slow the machine is.
configure({ asyncUtilTimeout: 20_000 });

/** What jsdom lacks: it scrolls nothing, knows no modal dialogs and draws no pictures. */
const lacking: [object, object][] = [
  [Element.prototype, { scrollIntoView: () => undefined }],
  [HTMLDialogElement.prototype, { showModal(this: HTMLDialogElement) { this.open = true; } }],
  [SVGElement.prototype, { getScreenCTM: () => null, setPointerCapture: () => undefined }],
];

beforeEach(() => {
  for (const [prototype, methods] of lacking) Object.assign(prototype, methods);
});

// The last of a test's ends: those of its file come before.
afterEach(() => {
  vi.restoreAllMocks();
  cleanup();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  document.body.replaceChildren();
  document.documentElement.className = "";
  document.documentElement.lang = "en";
  localStorage.clear();
  sessionStorage.clear();
});
