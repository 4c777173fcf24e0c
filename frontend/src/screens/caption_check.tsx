import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AnswerTo, Begun, Question } from "../api/types";
import { Stage } from "../canvas/Stage";
import { Answers, type Choice } from "../parts/Answers";
import { CaptionWords } from "../parts/CaptionWords";
import { Frame } from "../parts/Frame";
import { RightWord } from "../parts/RightWord";
import { SightContext } from "../state/sight";
import type { ScreenProps } from "./screen";
import { t } from "../t";

type Answer = AnswerTo<"caption_check">;
type Verdict = Answer["verdict"];

/** Once the words have numbers, the answers have only their letters. */
export const choices = (numbered: boolean): readonly Choice<Verdict>[] => [
  { value: "correct", keys: numbered ? ["y"] : ["1", "y"], label: t("Correct"), hint: t("every word fits the picture") },
  { value: "wrong", keys: numbered ? ["n"] : ["2", "n"], label: t("Wrong"), hint: t("one word does not fit") },
];

/** The words of the caption, in order. Offsets count code points. */
function wordsOf({ survey }: Question): string[] {
  if (!survey || !("words" in survey)) return [];
  const letters = Array.from(survey.caption);
  return survey.words.map(([start, end]) => letters.slice(start, end).join(""));
}

/** What was typed as one line of printable characters; nothing if nothing is left. */
const asWord = (typed = ""): { right?: string } => {
  const right = typed.replace(/\s+/g, " ").replace(/\p{C}/gu, "").trim();
  return right ? { right } : {};
};

export function CaptionCheck({ question, answer, onAnswer, onChange, disabled, shown = false }: ScreenProps<Answer>) {
  const sight = useContext(SightContext);
  const [own, keep] = useState(answer);
  const [asked, ask] = useState(0);
  const column = useRef<HTMLDivElement>(null);
  const given = shown ? answer : own;
  const wrong = given?.verdict === "wrong" ? given : null;
  const picked = wrong?.word === undefined ? null : wrong;
  const words = wordsOf(question);
  const change = (next: Begun<Answer>): void => {
    keep(next);
    onChange(next);
  };
  const decide = (verdict: Verdict): void => {
    if (verdict === "correct") onAnswer({ verdict });
    else if (sight?.state === "look") sight.look();
    else if (sight?.state !== "wait") {
      if (!wrong) change({ verdict });
      ask(asked + 1);
    }
  };
  const finish = (): void => {
    if (picked) onAnswer({ verdict: "wrong", word: picked.word, ...asWord(picked.right) });
  };
  const into = (field: string): void => column.current?.querySelector<HTMLInputElement>(field)?.focus();
  // Arrow keys act on the words at once, and what is asked now is read aloud.
  useLayoutEffect(() => {
    if (asked) into(".token :checked, .token input");
  }, [asked]);
  return (
    <Frame
      picture={<Stage image={question.image} label={t("The picture")} />}
      ask={wrong ? t("Which word is wrong?") : t("Is this caption correct?")}
      whole={{ rest: t("More of the caption"), first: t("First read the whole caption.") }}
    >
      <div ref={column} class="check">
        <CaptionWords
          {...{ words, disabled }}
          language={question.language}
          picked={picked?.word ?? null}
          open={wrong !== null}
          onPick={(word) => change({ ...wrong, verdict: "wrong", word })}
          onEnter={() => into(".right")}
        />
        <Answers choices={choices(wrong !== null)} chosen={given?.verdict ?? null} onAnswer={decide} disabled={disabled} />
        <div class="instead">
          {picked && (
            <RightWord
              {...{ disabled }}
              wrong={words[picked.word] ?? ""}
              language={question.language}
              right={picked.right ?? ""}
              onChange={(right) => change({ ...picked, right })}
              onDone={finish}
            />
          )}
        </div>
      </div>
    </Frame>
  );
}
