import type { ComponentChildren } from "preact";
import { WayOut } from "./Ends";
import { Mistakes } from "./Learning";
import type { TestResult } from "../../api/types";
import type { PageContext } from "../calls";
import { many, t } from "../../t";
import { Primary } from "../../ui/Primary";
import type { Work } from "../use_work";

interface Props {
  test: TestResult;
  message: string;
  work: Work;
  context: PageContext;
  /** The foot of the page. */
  children: ComponentChildren;
}

/** The result of a test, with kinds of mistakes but without its questions: other workers take the same test. */
export function Tested({ test: { right, asked, needed, passed, mistakes }, message, work, context, children }: Props) {
  const { session } = context;
  return (
    <main class="card">
      <h1>{passed ? t("Test passed") : t("Not passed this time")}</h1>
      <p role="status">
        <b>{t("{right} of {asked} right", { right, asked })}</b>{many(needed, "; {n} was needed.", "; {n} were needed.")}
      </p>
      {!passed && (
        <div>
          <p>{mistakes.length > 0 ? t("More than once:") : t("Your mistakes were of different kinds. Read the rule once more.")}</p>
          <Mistakes task={context.task} kinds={mistakes} />
        </div>
      )}
      {message && <p>{message}</p>}
      {passed && session && <p>{many(session.least, "The {word} is not finished yet: it needs {n} assignment.", "The {word} is not finished yet: it needs {n} assignments.", { word: session.word })}</p>}
      {passed && <Primary label={t("Continue")} onPress={work.goOn} />}
      {!(passed && session) && <WayOut {...{ work, context }} home={passed ? t("Stop for now") : t("Home")} main={!passed} />}
      {children}
    </main>
  );
}
