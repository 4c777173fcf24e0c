/** Call each function at every event of its name, until the function that this returns is called. */
export function listen(target: EventTarget, acts: Readonly<Record<string, (event: never) => void>>, options: AddEventListenerOptions = {}): () => void {
  const end = new AbortController();
  for (const [name, act] of Object.entries(acts)) target.addEventListener(name, act as EventListener, { ...options, signal: end.signal });
  return () => end.abort();
}
