import { html, render } from 'lit/html.js';

type Theme = 'dark' | 'light';

/** The reader's system decides between light and dark, until the reader does. */
export function addThemes(body: HTMLElement): void {
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const contrast = window.matchMedia('(prefers-contrast: more)');
  let chosen: Theme | undefined;
  const place = document.createElement('div');
  place.className = 'theme';
  body.prepend(place);
  const apply = (): void => {
    const theme: Theme = chosen ?? (system.matches ? 'dark' : 'light');
    const isContrast = contrast.matches;
    body.classList.toggle('vscode-dark', theme === 'dark' && !isContrast);
    body.classList.toggle('vscode-light', theme === 'light' && !isContrast);
    body.classList.toggle('vscode-high-contrast', isContrast);
    body.classList.toggle('vscode-high-contrast-light', isContrast && theme === 'light');
    const other: Theme = theme === 'dark' ? 'light' : 'dark';
    const label = other === 'dark' ? 'Dark colors' : 'Light colors';
    const choose = (): void => {
      chosen = other;
      apply();
    };
    render(
      html`<button type="button" title=${label} aria-label=${label} @click=${choose}>
        <i class="codicon codicon-color-mode" aria-hidden="true"></i>
      </button>`,
      place,
    );
  };
  system.addEventListener('change', apply);
  contrast.addEventListener('change', apply);
  apply();
}
