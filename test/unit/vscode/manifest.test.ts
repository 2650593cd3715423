import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../../support/host/install/cache.mjs';

interface Manifest {
  readonly icon: string;
  readonly activationEvents: readonly string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly { command: string; title: string; category: string; icon?: string }[];
    readonly menus: Readonly<Record<string, readonly { command: string; when?: string }[]>>;
    readonly viewsWelcome: readonly { contents: string }[];
    readonly configuration: readonly {
      readonly properties: Readonly<Record<string, { scope: string; markdownDescription: string; default: unknown }>>;
    }[];
    readonly walkthroughs: readonly {
      steps: readonly { description: string; media: { svg: string }; completionEvents: readonly string[] }[];
    }[];
  };
}

const read = (file: string): string => readFileSync(path.join(repository, file), 'utf8');
const text = read('package.json');
const manifest = JSON.parse(text) as Manifest;
const nls = JSON.parse(read('package.nls.json')) as Record<string, string>;
const { commands, menus, configuration, viewsWelcome, walkthroughs } = manifest.contributes;
const settings = Object.fromEntries(configuration.flatMap(({ properties }) => Object.entries(properties)));

describe('the manifest', () => {
  it('has every text that it references, and no others', () => {
    const named = new Set([...text.matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key!));
    assert.deepEqual(
      [...named].filter((key) => nls[key] === undefined),
      [],
    );
    assert.deepEqual(
      Object.keys(nls).filter((key) => !named.has(key)),
      [],
    );
  });

  it('takes every title and description from package.nls.json', () => {
    const loose = [...text.matchAll(/"(title|description|markdownDescription|contents|altText)": "(?!%)([^"]*)"/g)]
      .map(([, , value]) => value)
      .filter((value) => value !== 'Vitrine');
    assert.deepEqual(loose, ['Run coding agents, see what they did and what it cost, and resume any session.']);
  });

  it('has only its own commands in menus, each with a category', () => {
    const known = new Set(commands.map(({ command }) => command));
    const used = Object.values(menus).flatMap((items) => items.map(({ command }) => command));
    assert.deepEqual(
      used.filter((command) => !known.has(command)),
      [],
    );
    assert.deepEqual(
      commands.filter(({ category }) => category !== 'Vitrine'),
      [],
    );
  });

  it('links only to commands that exist', () => {
    const texts = [
      ...viewsWelcome.map(({ contents }) => nls[contents.slice(1, -1)]!),
      ...walkthroughs.flatMap(({ steps }) => steps.map(({ description }) => nls[description.slice(1, -1)]!)),
    ];
    const linked = texts.flatMap((sentence) =>
      [...sentence.matchAll(/\(command:([\w.]+)/g)].map(([, command]) => command!),
    );
    const known = new Set([...commands.map(({ command }) => command), 'vitrine.sessions.focus']);
    assert.ok(linked.length > 8);
    assert.deepEqual(
      linked.filter((command) => command.startsWith('vitrine.') && !known.has(command)),
      [],
    );
  });

  it('lets no workspace choose a program, its arguments or its environment', () => {
    const started = Object.keys(settings).filter((name) => /\.(path|extraArgs|environment|agents|servers)$/.test(name));
    assert.equal(started.length, 5 + 4);
    assert.deepEqual(
      started.filter((name) => settings[name]?.scope !== 'machine'),
      [],
    );
    const ofAgents = Object.keys(settings).filter((name) => /^vitrine\.(?!stopGrace|demo|approvals)/.test(name));
    assert.deepEqual([...manifest.capabilities.untrustedWorkspaces.restrictedConfigurations].sort(), ofAgents.sort());
    const modes = Object.keys(settings).filter((name) => name.endsWith('.permissionMode'));
    assert.deepEqual([...new Set(modes.map((name) => settings[name]?.default))], ['default']);
  });

  it('lets no workspace disable checks, or choose what is sent and kept', () => {
    const ofUser = Object.keys(settings).filter((name) =>
      /^vitrine\.(?:unreportedChanges|otlp|audit\.|retention|prices|followUps|runner|sources\.)/.test(name),
    );
    assert.equal(ofUser.length, 8);
    assert.deepEqual(
      ofUser.filter((name) => !['machine', 'application'].includes(settings[name]?.scope ?? '')),
      [],
    );
  });

  it('limits the number of commands and settings', () => {
    const hidden = menus['commandPalette']!.filter(({ when }) => when === 'false').length;
    assert.ok(commands.length - hidden <= 45, `${commands.length - hidden} commands in the palette`);
    // Those of the Changes view are in no palette.
    assert.ok(commands.length <= 72, `${commands.length} commands`);
    assert.ok(Object.keys(settings).length <= 40, `${Object.keys(settings).length} settings`);
  });

  it('activates only after start-up and for its own panels', () => {
    assert.deepEqual(manifest.activationEvents, [
      'onStartupFinished',
      'onWebviewPanel:vitrine.session',
      'onWebviewPanel:vitrine.report',
    ]);
  });

  it('has every picture that it references', () => {
    const pictures = [manifest.icon, ...walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.svg))];
    assert.deepEqual(
      [...pictures, 'media/vitrine.svg'].filter((file) => !existsSync(path.join(repository, file))),
      [],
    );
  });

  it('has walkthrough pictures in theme colours only', () => {
    for (const { media } of walkthroughs[0]!.steps) assert.doesNotMatch(read(media.svg), /#[0-9a-f]{3,8}\b|rgb\(/i);
  });
});
