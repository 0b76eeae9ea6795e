// WebKitGTK reports navigator.language === "C" under LANG=C.UTF-8, and Intl throws a RangeError on it.
// Must be the first import of main.ts: everything that formats a number or a date reads navigator.language.
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { configurable: true, get: () => 'en-US' });
  Object.defineProperty(navigator, 'languages', { configurable: true, get: () => Object.freeze(['en-US', 'en']) });
}
export {};
