/** Call `act` at every such event, until the function that this returns is called. */
export function listen(target: EventTarget, name: string, act: EventListener, options?: AddEventListenerOptions): () => void {
  target.addEventListener(name, act, options);
  return () => target.removeEventListener(name, act, options);
}
