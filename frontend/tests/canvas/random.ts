/** Random numbers that are the same in every run. */
export function randoms(seed: number): (least: number, most: number) => number {
  let state = seed;
  return (least, most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return least + (state / 2 ** 32) * (most - least);
  };
}

/** Many random cases of one property. */
export function forMany(check: (random: (least: number, most: number) => number) => void, seed = 7): void {
  const random = randoms(seed);
  for (let round = 0; round < 300; round++) check(random);
}
