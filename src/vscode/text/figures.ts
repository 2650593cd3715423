import * as vscode from 'vscode';
import { Figures } from '../../text/figures.ts';

/** Formats figures in VS Code's display language. */
export const figures = new Figures(vscode.env.language);
