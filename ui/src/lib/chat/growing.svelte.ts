/** An attachment: a field grows with its text, up to the limit set in CSS. */
export function growing(text: () => string): (field: HTMLTextAreaElement) => void {
  return (field) => {
    $effect(() => {
      void text();
      field.style.height = 'auto';
      field.style.height = `${field.scrollHeight}px`;
    });
  };
}
