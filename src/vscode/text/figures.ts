import * as vscode from 'vscode';
import { Figures } from '../../text/figures.ts';

/** Amounts in the language of this VS Code. */
export const figures = new Figures(vscode.env.language);
