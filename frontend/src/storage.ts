/** What `use` returns of the browser's storage; `otherwise` where that is full or forbidden, or holds what is not ours. */
export function stored<T>(use: (storage: Storage) => T, otherwise: T): T {
  try {
    return use(localStorage);
  } catch {
    return otherwise;
  }
}
