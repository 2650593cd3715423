import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installAgent, type InstallResult } from './install.ts';

/** Tested versions: the current one, the last one that counts tokens per run, and one with events but no id. */
export const codexVersions = ['0.169.0', '0.77.0', '0.20.0'] as const;
export type CodexVersion = (typeof codexVersions)[number];

const architectures: Readonly<Partial<Record<string, string>>> = { x64: 'x86_64', arm64: 'aarch64' };
const systems: Readonly<Partial<Record<string, string>>> = {
  linux: 'unknown-linux-musl',
  darwin: 'apple-darwin',
  win32: 'pc-windows-msvc',
};

/** Installs this version of Codex and returns its native program, whose place depends on the package. */
export async function ensureCodex(version: CodexVersion): Promise<InstallResult> {
  const architecture = architectures[process.arch];
  const system = systems[process.platform];
  if (architecture === undefined || system === undefined) {
    return { missing: `Codex has no program for ${process.platform} on ${process.arch}` };
  }
  const triple = `${architecture}-${system}`;
  const exe = process.platform === 'win32' ? '.exe' : '';
  const files: Record<CodexVersion, string> = {
    '0.169.0': `vendor/${triple}/bin/codex${exe}`,
    '0.77.0': `vendor/${triple}/codex/codex${exe}`,
    '0.20.0': `bin/codex-${triple}${exe}`,
  };
  const name = '@openai/codex';
  return installAgent({
    label: 'Codex',
    folder: 'codex',
    name,
    version,
    // Later versions have a package per platform, under the same name.
    ...(version === '0.169.0' && { spec: `${name}@${version}-${process.platform}-${process.arch}` }),
    file: files[version],
  });
}

/** Codex reads the model's URL from its configuration only. Disables retries. */
export function configureCodex(home: string, modelUrl: string, version: CodexVersion): void {
  const folder = path.join(home, '.codex');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(folder, 'config.toml'),
    `model = "${modelOf(version)}"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "SCRIPTED_API_KEY"
request_max_retries = 0
stream_max_retries = 1
`,
  );
}

/** A model that the version knows, so that all its tools are available. */
function modelOf(version: CodexVersion): string {
  return version === '0.169.0' ? 'gpt-5.5' : 'gpt-5.2';
}

export function codexVariables(): Record<string, string> {
  return { SCRIPTED_API_KEY: 'dummy' };
}
