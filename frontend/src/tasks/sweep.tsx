import { useState } from "preact/hooks";
import type { AnswerTo, Question } from "../api/types";
import { Stage } from "../canvas/Stage";
import { type Commands, MAIN } from "../keyboard/commands";
import { Key, useActing, useCommands } from "../keyboard/controls";
import { usePictureInSight } from "../labelling/sight";
import { Captions, captionsOf, glued, Mark, phrasesOf, PhraseWords } from "../labelling/views/Captions";
import { Frame } from "../labelling/views/Frame";
import { lang, many, rich, t } from "../t";
import { COREFERENCE_LINK, RULE } from "./coreference_link";
import { MAN_IN_HAT, TWO_DOGS } from "./examples";
import type { ScreenProps, TaskScreen } from "./task";
import { Button } from "../ui/Button";

const CHOOSE = { label: t("Choose the phrase with this number, or leave it out again") };
/** The digits of the first nine candidates. */
const DIGITS: Commands = Object.fromEntries(Array.from("123456789", (digit) => [digit, { keys: [digit], ...CHOOSE }]));

/** What presses a button that has the focus. */
const PRESSES = ["Enter", " "];

interface Props extends ScreenProps<AnswerTo<"coreference_link">> {
  sweep: NonNullable<Question["sweep"]>;
}

const sameIn = (answer: Props["answer"]) => (answer && typeof answer === "object" ? answer.same : undefined);

/** One phrase, A, and its candidates in all captions: the worker chooses those that mean the same. */
export function Sweep({ question, sweep: { about, candidates, preset }, answer, onAnswer, onChange, disabled, tried = null }: Props) {
  const { image, captions } = question;
  const [own, keep] = useState(answer);
  const same = sameIn(tried ? answer : own) ?? preset;
  const touched = sameIn(tried) ?? same;
  const toggle = (mention: number): void => {
    const next = { same: candidates.filter((one) => (one === mention) !== same.includes(one)) };
    keep(next);
    onChange(next.same.length || preset.length ? next : null);
  };
  const confirm = (): void => onAnswer({ same: [...same] });
  useCommands(DIGITS, Object.fromEntries(candidates.slice(0, 9).map((mention, i) => [i + 1, disabled ? null : () => toggle(mention)])));
  useCommands(MAIN, disabled ? {} : { press: confirm });
  const mark = (words: string, mention: number) =>
    mention === about ? (
      <Mark text={words} look="a" letter="A" />
    ) : (
      <Candidate
        {...{ words, disabled }}
        number={candidates.indexOf(mention) + 1}
        on={same.includes(mention)}
        touched={touched.includes(mention)}
        onPress={() => toggle(mention)}
      />
    );
  const a = <PhraseWords of={question} at={phrasesOf(captions).findIndex(({ mention }) => mention === about)} />;
  return (
    <Frame
      picture={<Stage image={image} label={t("The picture")} onLoading={usePictureInSight()} />}
      ask={rich("Which phrases mean the same as A {a}?", { a })}
    >
      {preset.length > 0 && <p class="quiet">{t("Some are chosen already. Check them, too.")}</p>}
      <Captions {...captionsOf(question)} mark={mark} />
      <Confirm count={same.length} disabled={disabled} onPress={confirm} />
    </Frame>
  );
}

interface CandidateProps {
  words: string;
  number: number;
  /** Whether it is chosen; in an example that was answered: whether that is right. */
  on: boolean;
  touched: boolean;
  disabled: boolean;
  onPress: () => void;
}

/**
 * A phrase to choose: inside of its sentence, which a button would tear apart. A press with the mouse leaves the focus
 * where it is, so that Enter confirms after it.
 */
function Candidate({ words, number, on, touched, disabled, onPress }: CandidateProps) {
  const press = disabled ? undefined : onPress;
  return (
    <span
      role="button"
      class="phrase touch"
      tabIndex={0}
      aria-pressed={on}
      aria-disabled={disabled}
      aria-keyshortcuts={useActing()(number > 9 ? undefined : String(number))}
      onMouseDown={(event) => event.preventDefault()}
      onClick={press}
      onKeyDown={(event) => {
        if (event.repeat || !PRESSES.includes(event.key)) return;
        event.preventDefault();
        press?.();
      }}
    >
      <bdi class="letter" lang={lang}>{number}</bdi>
      {glued(words)}
      {on !== touched && <bdi class="slip" lang={lang}>{on ? t("✗ missed") : t("✗ wrong")}</bdi>}
    </span>
  );
}

/** The main button says what it answers. */
function Confirm({ count, disabled, onPress }: { count: number; disabled: boolean; onPress: () => void }) {
  return (
    <div class="answers" role="group" aria-label={t("Your answer")}>
      <Button class="answer primary" data-answer="sweep" aria-keyshortcuts="Enter" disabled={disabled} onClick={onPress}>
        <Key name="Enter" />
        <span role="status">{count ? many(count, "This one", "These {n}") : t("None of them")}</span>
      </Button>
    </div>
  );
}

/** Links where the project asks sweeps. */
export const LINK_WITH_SWEEPS: TaskScreen<"coreference_link"> = {
  ...COREFERENCE_LINK,
  commands: [DIGITS, ...COREFERENCE_LINK.commands],
  rule: {
    title: RULE.title,
    sentences: [
      t("Choose every numbered phrase that means the same as A: the same person, place or thing, or exactly the same group of them."),
      ...RULE.sentences.slice(2, 3),
      t("Leave out what means more things than A, or only some of them. Perhaps none means the same."),
      t("Where only two phrases are marked, A and B, answer yes or no."),
    ],
    gesture: t("Find in the picture what A means. Press each phrase that means the same, or its number. Then press Enter, or the button that says how many they are."),
    examples: [
      {
        scene: MAN_IN_HAT,
        captions: [t("*A man* looks at us"), t("*The tourist* stands still"), t("He wears *a red hat*"), t("*He* waits")],
        sweep: true,
        answer: { same: [1, 3] },
        said: "1, 3",
        why: t("One person, described in three ways. The hat is not the man."),
      },
      {
        scene: TWO_DOGS,
        captions: [t("*A brown dog* stands"), t("*Two dogs* on the grass"), t("*The dog* on the left"), t("*A white dog*")],
        sweep: true,
        answer: { same: [2] },
        said: "2",
        why: t("1 means both dogs, and 3 the other one."),
      },
      {
        scene: MAN_IN_HAT,
        captions: [t("He wears *a red hat*"), t("*A man* in the park"), t("*The tourist*")],
        sweep: true,
        answer: { same: [] },
        said: t("None of them"),
        why: t("Both mean the man who wears it."),
      },
      ...RULE.examples.slice(1, 2),
    ],
  },
};
