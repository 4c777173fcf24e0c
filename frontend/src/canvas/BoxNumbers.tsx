/** The numbers of the boxes. Pointing at a number or pressing it highlights its box. */

interface Props {
  readonly count: number;
  readonly lit: number;
  readonly onLit: (number: number) => void;
}

export function BoxNumbers({ count, lit, onLit }: Props) {
  return (
    <div class="boxnumbers" role="group" aria-label="Boxes" onPointerLeave={() => onLit(0)}>
      {Array.from({ length: count }, (_, index) => index + 1).map((number) => (
        <button
          key={number}
          type="button"
          aria-label={`Box ${String(number)}`}
          aria-pressed={lit === number}
          onPointerEnter={() => onLit(number)}
          onFocus={() => onLit(number)}
          onBlur={() => onLit(0)}
          onClick={() => onLit(number)}
        >
          {number}
        </button>
      ))}
    </div>
  );
}
