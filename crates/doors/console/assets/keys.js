// Keys of the browser as keys of a program.

const CODES = {
  Enter: 1, Tab: 2, Backspace: 4, Delete: 5, Insert: 6, ArrowLeft: 7, ArrowRight: 8, ArrowUp: 9, ArrowDown: 10,
  Home: 11, End: 12, PageUp: 13, PageDown: 14, Escape: 15,
};

/** The key of an event as { name, code, character, held }, or null for one that is the browser's. */
export function keyOf(event) {
  if (event.isComposing || event.metaKey) return null;
  const held = (event.shiftKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.altKey ? 4 : 0);
  const name = event.key;
  if (name === 'Tab' && event.shiftKey) return { name: 'BackTab', code: 3, character: 0, held };
  if (name in CODES) return { name, code: CODES[name], character: 0, held };
  const number = /^F(\d{1,2})$/.exec(name)?.[1];
  // F11 and F12 are the browser's: full screen and its tools.
  if (number) return number === '11' || number === '12' ? null : { name, code: 100 + Number(number), character: 0, held };
  const character = [...name].length === 1 ? name.codePointAt(0) : 0;
  if (!character) return null;
  // With AltGr, control and alt are both set, and the character is typed.
  const alone = event.ctrlKey !== event.altKey;
  if (alone && event.ctrlKey && name.toLowerCase() !== 'c') return null;
  return { name, code: 0, character, held: alone ? held : held & 1 };
}

/** A key without an event, for the row of buttons. */
export function keyNamed(name) {
  const number = /^F(\d{1,2})$/.exec(name)?.[1];
  return { name, code: number ? 100 + Number(number) : CODES[name], character: 0, held: 0 };
}
