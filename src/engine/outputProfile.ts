/** The profile of `replay` for what an agent printed to a file. `file`: absolute path. */
export function outputProfile(agent: string, file: string): string {
  return `${agent}:${file}`;
}

export function readOutputProfile(profile: string): { readonly agent: string; readonly file: string } {
  const [agent = '', ...rest] = profile.split(':');
  return { agent, file: rest.join(':') };
}
