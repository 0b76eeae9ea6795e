/**
 * Whether this key press is Enter as a command. Enter also confirms a word in an input method. In WebKit the
 * composition has ended by then, so `isComposing` is false; only key code 229 still tells that the input method took
 * the key.
 */
export function isEnter(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.isComposing && event.keyCode !== 229;
}
