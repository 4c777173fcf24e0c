import { DIFFERENT, SAME, screenWith } from "./coreference_link";
import { t } from "../t";

const PART = t("some of its things, or a piece of it");

/** The screen of links in projects that ask what is part of what, too. */
export const LinkWithParts = screenWith([
  SAME,
  { ...DIFFERENT, hint: t("another thing, or only partly the same things") },
  { value: "a is part of b", key: "3", label: t("A is part of B"), hint: PART },
  { value: "b is part of a", key: "4", label: t("B is part of A"), hint: PART },
]);
