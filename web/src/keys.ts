/* The keyboard: one table says what keys do, and the dialog behind ? what there is. */

export interface Key {
  keys: string[]; /* as events call them, small letters */
  name: string; /* as people read them */
  text: string;
  act: (e: KeyboardEvent) => void;
}

const row = (name: string, text: string): HTMLElement[] => {
  const keys = document.createElement('dt'),
    what = document.createElement('dd');
  for (const key of name.split(' ')) {
    const k = document.createElement('kbd');
    k.textContent = key.replaceAll('_', ' ');
    keys.append(k, ' ');
  }
  what.textContent = text;
  return [keys, what];
};

/* pointer: what mouse and fingers do; opened: what there is to be said when the dialog is opened. */
export function listen(
  table: Key[],
  pointer: [string, string][],
  dialog: HTMLDialogElement,
  opened: () => string,
): void {
  const list = dialog.querySelector('dl')!,
    measured = dialog.querySelector('output')!,
    help: Key = {
      keys: ['?'],
      name: '?',
      text: 'these keys',
      act: () => {
        if (dialog.open) return dialog.close();
        measured.textContent = opened();
        dialog.showModal();
      },
    },
    all = [...table, help];
  list.append(...[...all.map(k => [k.name, k.text] as const), ...pointer].flatMap(([name, text]) => row(name, text)));
  dialog.addEventListener('click', e => {
    if (e.target === dialog) dialog.close(); /* beside it */
  });
  document.getElementById('help')!.addEventListener('click', help.act as () => void);
  addEventListener('keydown', e => {
    const t = e.target as HTMLElement,
      typing = t.matches('select, input[type="search"], input[type="text"], input[type="number"]'),
      pressed = t.matches('button, summary, input') && (e.key === ' ' || e.key === 'Enter');
    if (e.ctrlKey || e.metaKey || e.altKey || typing || pressed || (dialog.open && e.key !== '?')) return;
    const k = all.find(o => o.keys.includes(e.key.length > 1 ? e.key : e.key.toLowerCase()));
    if (!k) return;
    e.preventDefault();
    k.act(e);
  });
}
