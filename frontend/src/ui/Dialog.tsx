import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../t";
import { Button } from "./Button";

interface Props {
  title: string;
  onClose: () => void;
  wide?: boolean;
  children: ComponentChildren;
}

/** A dialog that is open while it is rendered. The browser keeps the focus inside and restores it afterwards. */
export function Dialog({ title, onClose, wide = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const name = useId();
  useLayoutEffect(() => {
    dialog.current?.showModal();
    // Not by the attribute `autofocus`: browsers complain about it in a platform's frame.
    heading.current?.focus();
  }, []);
  return (
    <dialog ref={dialog} class={wide ? "wide" : ""} aria-labelledby={name} onClose={onClose}>
      <header>
        <h2 ref={heading} id={name} tabIndex={-1}>
          {title}
        </h2>
        <Button class="plain close" aria-label={t("Close")} onClick={() => dialog.current?.close()}>×</Button>
      </header>
      {children}
    </dialog>
  );
}
