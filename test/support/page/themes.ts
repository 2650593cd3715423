/** Design tokens of three VS Code themes, as far as the page uses them. */
const shared = `
  --vscode-font-family: system-ui, Ubuntu, "Droid Sans", sans-serif; --vscode-font-size: 13px; --vscode-font-weight: normal;
  --vscode-editor-font-family: "DejaVu Sans Mono", monospace; --vscode-editor-font-size: 12px; --vscode-editor-font-weight: normal;`;

const dark = `color-scheme: dark;
  --vscode-terminal-ansiBlack: #000000; --vscode-terminal-ansiRed: #cd3131; --vscode-terminal-ansiGreen: #0dbc79; --vscode-terminal-ansiYellow: #e5e510; --vscode-terminal-ansiBlue: #2472c8; --vscode-terminal-ansiMagenta: #bc3fbc; --vscode-terminal-ansiCyan: #11a8cd; --vscode-terminal-ansiWhite: #e5e5e5; --vscode-terminal-ansiBrightBlack: #666666; --vscode-terminal-ansiBrightRed: #f14c4c; --vscode-terminal-ansiBrightGreen: #23d18b; --vscode-terminal-ansiBrightYellow: #f5f543; --vscode-terminal-ansiBrightBlue: #3b8eea; --vscode-terminal-ansiBrightMagenta: #d670d6; --vscode-terminal-ansiBrightCyan: #29b8db; --vscode-terminal-ansiBrightWhite: #e5e5e5;
  --vscode-debugTokenExpression-name: #c586c0; --vscode-debugTokenExpression-string: #ce9178; --vscode-debugTokenExpression-number: #b5cea8;
  --vscode-foreground: #cccccc; --vscode-descriptionForeground: #9d9d9d; --vscode-disabledForeground: #cccccc80; --vscode-icon-foreground: #cccccc;
  --vscode-errorForeground: #f85149; --vscode-focusBorder: #0078d4; --vscode-widget-shadow: #0000005c; --vscode-textLink-foreground: #4daafc; --vscode-textLink-activeForeground: #4daafc;
  --vscode-textPreformat-foreground: #d0d0d0; --vscode-textPreformat-background: #3c3c3c; --vscode-textCodeBlock-background: #2b2b2b; --vscode-textBlockQuote-border: #616161;
  --vscode-editor-background: #1f1f1f; --vscode-editor-foreground: #cccccc; --vscode-editorWidget-background: #202020; --vscode-editorWidget-border: #454545;
  --vscode-editor-findMatchHighlightBackground: #ea5c0055; --vscode-editor-rangeHighlightBackground: #ffffff0b; --vscode-editorError-foreground: #f14c4c; --vscode-editorWarning-foreground: #cca700;
  --vscode-editorOverviewRuler-border: #010409; --vscode-panel-border: #2b2b2b; --vscode-panel-background: #181818; --vscode-panelTitle-activeBorder: #0078d4; --vscode-panelTitle-activeForeground: #cccccc;
  --vscode-notebook-cellEditorBackground: #181818; --vscode-list-hoverBackground: #2a2d2e; --vscode-list-errorForeground: #f88070; --vscode-list-warningForeground: #cca700;
  --vscode-tree-indentGuidesStroke: #585858; --vscode-toolbar-hoverBackground: #5a5d5e50; --vscode-button-background: #0078d4; --vscode-button-foreground: #ffffff; --vscode-button-hoverBackground: #026ec1; --vscode-button-border: #ffffff1a;
  --vscode-button-secondaryBackground: #00000000; --vscode-button-secondaryForeground: #cccccc; --vscode-button-secondaryHoverBackground: #2b2b2b;
  --vscode-input-background: #313131; --vscode-input-border: #3c3c3c; --vscode-input-foreground: #cccccc; --vscode-input-placeholderForeground: #989898;
  --vscode-inputOption-activeBackground: #2489db82; --vscode-inputOption-activeBorder: #2488db; --vscode-inputOption-activeForeground: #ffffff;
  --vscode-badge-background: #616161; --vscode-badge-foreground: #f8f8f8; --vscode-progressBar-background: #0078d4;
  --vscode-menu-background: #1f1f1f; --vscode-menu-foreground: #cccccc; --vscode-menu-border: #454545; --vscode-menu-selectionBackground: #0078d4; --vscode-menu-selectionForeground: #ffffff; --vscode-menu-separatorBackground: #454545;
  --vscode-scrollbarSlider-background: #79797966; --vscode-scrollbarSlider-hoverBackground: #646464b3;
  --vscode-diffEditor-insertedLineBackground: #9bb95533; --vscode-diffEditor-removedLineBackground: #ff000033; --vscode-diffEditor-unchangedRegionBackground: #181818;
  --vscode-chat-linesAddedForeground: #54b054; --vscode-chat-linesRemovedForeground: #fc6a6a;
  --vscode-charts-red: #f14c4c; --vscode-charts-blue: #3794ff; --vscode-charts-green: #89d185; --vscode-terminal-foreground: #cccccc;
  --vscode-charts-purple: #b180d7; --vscode-charts-orange: #d18616; --vscode-panelTitle-inactiveForeground: #9d9d9d;
  --vscode-list-activeSelectionBackground: #04395e; --vscode-list-activeSelectionForeground: #ffffff; --vscode-list-inactiveSelectionBackground: #37373d;`;

const light = `color-scheme: light;
  --vscode-terminal-ansiBlack: #000000; --vscode-terminal-ansiRed: #cd3131; --vscode-terminal-ansiGreen: #107c10; --vscode-terminal-ansiYellow: #949800; --vscode-terminal-ansiBlue: #0451a5; --vscode-terminal-ansiMagenta: #bc05bc; --vscode-terminal-ansiCyan: #0598bc; --vscode-terminal-ansiWhite: #555555; --vscode-terminal-ansiBrightBlack: #666666; --vscode-terminal-ansiBrightRed: #cd3131; --vscode-terminal-ansiBrightGreen: #14ce14; --vscode-terminal-ansiBrightYellow: #b5ba00; --vscode-terminal-ansiBrightBlue: #0451a5; --vscode-terminal-ansiBrightMagenta: #bc05bc; --vscode-terminal-ansiBrightCyan: #0598bc; --vscode-terminal-ansiBrightWhite: #a5a5a5;
  --vscode-debugTokenExpression-name: #9b46b0; --vscode-debugTokenExpression-string: #a31515; --vscode-debugTokenExpression-number: #098658;
  --vscode-foreground: #3b3b3b; --vscode-descriptionForeground: #3b3b3b; --vscode-disabledForeground: #61616180; --vscode-icon-foreground: #3b3b3b;
  --vscode-errorForeground: #f85149; --vscode-focusBorder: #005fb8; --vscode-widget-shadow: #00000029; --vscode-textLink-foreground: #005fb8; --vscode-textLink-activeForeground: #005fb8;
  --vscode-textPreformat-foreground: #3b3b3b; --vscode-textPreformat-background: #0000001f; --vscode-textCodeBlock-background: #f8f8f8; --vscode-textBlockQuote-border: #e5e5e5;
  --vscode-editor-background: #ffffff; --vscode-editor-foreground: #3b3b3b; --vscode-editorWidget-background: #f8f8f8; --vscode-editorWidget-border: #c8c8c8;
  --vscode-editor-findMatchHighlightBackground: #ea5c0055; --vscode-editor-rangeHighlightBackground: #fdff0033; --vscode-editorError-foreground: #e51400; --vscode-editorWarning-foreground: #bf8803;
  --vscode-editorOverviewRuler-border: #e5e5e5; --vscode-panel-border: #e5e5e5; --vscode-panel-background: #f8f8f8; --vscode-panelTitle-activeBorder: #005fb8; --vscode-panelTitle-activeForeground: #3b3b3b;
  --vscode-notebook-cellEditorBackground: #f8f8f8; --vscode-list-hoverBackground: #f2f2f2; --vscode-list-errorForeground: #b01011; --vscode-list-warningForeground: #855f00;
  --vscode-tree-indentGuidesStroke: #a9a9a9; --vscode-toolbar-hoverBackground: #b8b8b850; --vscode-button-background: #005fb8; --vscode-button-foreground: #ffffff; --vscode-button-hoverBackground: #0258a8; --vscode-button-border: #0000001a;
  --vscode-button-secondaryBackground: #e5e5e5; --vscode-button-secondaryForeground: #3b3b3b; --vscode-button-secondaryHoverBackground: #cccccc;
  --vscode-input-background: #ffffff; --vscode-input-border: #cecece; --vscode-input-foreground: #3b3b3b; --vscode-input-placeholderForeground: #767676;
  --vscode-inputOption-activeBackground: #bed6ed; --vscode-inputOption-activeBorder: #005fb8; --vscode-inputOption-activeForeground: #000000;
  --vscode-badge-background: #cccccc; --vscode-badge-foreground: #3b3b3b; --vscode-progressBar-background: #005fb8;
  --vscode-menu-background: #ffffff; --vscode-menu-foreground: #3b3b3b; --vscode-menu-border: #cecece; --vscode-menu-selectionBackground: #005fb8; --vscode-menu-selectionForeground: #ffffff; --vscode-menu-separatorBackground: #d4d4d4;
  --vscode-scrollbarSlider-background: #64646466; --vscode-scrollbarSlider-hoverBackground: #646464b3;
  --vscode-diffEditor-insertedLineBackground: #9bb95533; --vscode-diffEditor-removedLineBackground: #ff000033; --vscode-diffEditor-unchangedRegionBackground: #f8f8f8;
  --vscode-chat-linesAddedForeground: #107c10; --vscode-chat-linesRemovedForeground: #bc2f32;
  --vscode-charts-red: #e51400; --vscode-charts-blue: #1a85ff; --vscode-charts-green: #388a34; --vscode-terminal-foreground: #3b3b3b;
  --vscode-charts-purple: #652d90; --vscode-charts-orange: #d18616; --vscode-panelTitle-inactiveForeground: #3b3b3b;
  --vscode-list-activeSelectionBackground: #e8e8e8; --vscode-list-activeSelectionForeground: #000000; --vscode-list-inactiveSelectionBackground: #e4e6f1;`;

const contrast = `color-scheme: dark;
  --vscode-terminal-ansiBlack: #000000; --vscode-terminal-ansiRed: #cd0000; --vscode-terminal-ansiGreen: #00cd00; --vscode-terminal-ansiYellow: #cdcd00; --vscode-terminal-ansiBlue: #0000ee; --vscode-terminal-ansiMagenta: #cd00cd; --vscode-terminal-ansiCyan: #00cdcd; --vscode-terminal-ansiWhite: #e5e5e5; --vscode-terminal-ansiBrightBlack: #7f7f7f; --vscode-terminal-ansiBrightRed: #ff0000; --vscode-terminal-ansiBrightGreen: #00ff00; --vscode-terminal-ansiBrightYellow: #ffff00; --vscode-terminal-ansiBrightBlue: #5c5cff; --vscode-terminal-ansiBrightMagenta: #ff00ff; --vscode-terminal-ansiBrightCyan: #00ffff; --vscode-terminal-ansiBrightWhite: #ffffff;
  --vscode-debugTokenExpression-name: #ffffff; --vscode-debugTokenExpression-string: #f48771; --vscode-debugTokenExpression-number: #89d185;
  --vscode-contrastBorder: #6fc3df; --vscode-contrastActiveBorder: #f38518;
  --vscode-foreground: #ffffff; --vscode-descriptionForeground: #ffffffb3; --vscode-disabledForeground: #a5a5a5; --vscode-icon-foreground: #ffffff;
  --vscode-errorForeground: #f48771; --vscode-focusBorder: #f38518; --vscode-textLink-foreground: #21a6ff; --vscode-textLink-activeForeground: #21a6ff;
  --vscode-textPreformat-foreground: #000000; --vscode-textPreformat-background: #ffffff; --vscode-textCodeBlock-background: #000000; --vscode-textBlockQuote-border: #ffffff;
  --vscode-editor-background: #000000; --vscode-editor-foreground: #ffffff; --vscode-editorWidget-background: #0c141f; --vscode-editorWidget-border: #6fc3df;
  --vscode-editorError-foreground: #f48771; --vscode-editorWarning-foreground: #ffd370; --vscode-panel-border: #6fc3df; --vscode-panel-background: #000000; --vscode-panelTitle-activeBorder: #6fc3df; --vscode-panelTitle-activeForeground: #ffffff;
  --vscode-list-hoverBackground: #ffffff1a; --vscode-tree-indentGuidesStroke: #a9a9a9;
  --vscode-button-background: #000000; --vscode-button-foreground: #ffffff; --vscode-button-hoverBackground: #000000; --vscode-button-border: #6fc3df; --vscode-button-secondaryForeground: #ffffff;
  --vscode-input-background: #000000; --vscode-input-border: #6fc3df; --vscode-input-foreground: #ffffff; --vscode-input-placeholderForeground: #ffffffb3;
  --vscode-inputOption-activeBackground: #00000000; --vscode-inputOption-activeBorder: #6fc3df; --vscode-inputOption-activeForeground: #ffffff;
  --vscode-badge-background: #000000; --vscode-badge-foreground: #ffffff; --vscode-progressBar-background: #6fc3df;
  --vscode-menu-background: #000000; --vscode-menu-foreground: #ffffff; --vscode-menu-border: #6fc3df; --vscode-menu-selectionBorder: #f38518; --vscode-menu-separatorBackground: #6fc3df;
  --vscode-scrollbarSlider-background: #6fc3df99; --vscode-scrollbarSlider-hoverBackground: #6fc3dfcc;
  --vscode-diffEditor-insertedTextBorder: #33ff2e; --vscode-diffEditor-removedTextBorder: #ff008f;
  --vscode-chat-linesAddedForeground: #54b054; --vscode-chat-linesRemovedForeground: #f48771;
  --vscode-charts-red: #f48771; --vscode-charts-blue: #3794ff; --vscode-charts-green: #89d185; --vscode-terminal-foreground: #ffffff;
  --vscode-charts-purple: #b180d7; --vscode-charts-orange: #d18616; --vscode-panelTitle-inactiveForeground: #ffffff;`;

const contrastLight = `${light}
  --vscode-contrastBorder: #0f4a85; --vscode-contrastActiveBorder: #006bbd; --vscode-foreground: #292929; --vscode-icon-foreground: #292929; --vscode-focusBorder: #006bbd; --vscode-panel-border: #0f4a85;
  --vscode-textLink-foreground: #0f4a85; --vscode-button-secondaryBackground: #ffffff; --vscode-input-border: #0f4a85; --vscode-charts-blue: #1a5fb4; --vscode-charts-green: #2a6f28; --vscode-input-placeholderForeground: #292929b3;`;

export const themes = {
  dark: { css: `:root {${shared}${dark}}`, body: 'vscode-dark' },
  light: { css: `:root {${shared}${light}}`, body: 'vscode-light' },
  contrast: { css: `:root {${shared}${contrast}}`, body: 'vscode-high-contrast' },
  contrastLight: { css: `:root {${shared}${contrastLight}}`, body: 'vscode-high-contrast vscode-high-contrast-light' },
} as const;

export type Theme = keyof typeof themes;
