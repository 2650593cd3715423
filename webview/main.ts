/** The second chunk: form controls, wanted only after the first entries are on screen. */
void import('./toolkit.ts').then(({ registerToolkit }) => {
  registerToolkit();
});
