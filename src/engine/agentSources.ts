import type { AgentAdapter } from '../agents/adapter.ts';
import type { Session } from '../model/session.ts';
import { acpReports, acpSource } from './acp/source.ts';
import { acpHttpReports, acpHttpSource } from './acpHttpSource.ts';
import {
  demoSource,
  programSource,
  type AgentSource,
  type ReportOptions,
  type SingleSource,
  type SourceDeps,
} from './agentSource.ts';
import type { AgentReport, EngineDeps } from './api.ts';
import { failures } from './failures.ts';
import type { ProcessLeases } from './processLease.ts';
import type { LadderStep } from './processTree.ts';
import { ProgramFinder } from './program.ts';
import { outputFileSource } from './replayFile.ts';

/** Which agent a session is with. */
export type AgentOfSession = Pick<Session, 'executor_type' | 'executor_profile'>;

/** Every agent that the settings of this moment know. */
export class AgentSources {
  readonly #deps: EngineDeps;
  readonly #leases: ProcessLeases;
  readonly #programs: ProgramFinder;

  constructor(deps: EngineDeps, leases: ProcessLeases) {
    this.#deps = deps;
    this.#leases = leases;
    this.#programs = new ProgramFinder(deps.mayAsk);
  }

  /** Looks for programs again instead of remembering where they were. */
  refresh(): void {
    this.#programs.refresh();
  }

  /** @throws EngineFailure */
  of({ executor_type: type, executor_profile: profile }: AgentOfSession): AgentSource {
    const { adapters } = this.#deps;
    if (type === 'replay') return profile === undefined ? this.#demo() : this.#outputFile(profile);
    const adapter = adapters.find((each) => each.type === type);
    if (adapter === undefined) throw failures.agentUnknown(type ?? 'unknown');
    if (adapter.protocol === 'acp-http') return acpHttpSource(profile, this.#server(adapter));
    return adapter.protocol === 'acp' ? acpSource(profile, this.#acp(adapter)) : this.#program(adapter);
  }

  /** For reading old output again: needs no program. */
  async forReading(agent: AgentOfSession): Promise<AgentSource | null> {
    try {
      const source = this.of(agent);
      if (source.recording) await source.prepare();
      return source;
    } catch {
      return null;
    }
  }

  async reports(options: ReportOptions): Promise<readonly AgentReport[]> {
    const { adapters } = this.#deps;
    const { acpHttp = [] } = this.#deps.settings();
    const found = adapters.map((adapter): Promise<readonly AgentReport[]> => {
      if (adapter.protocol === undefined)
        return this.#program(adapter)
          .report(options)
          .then((report) => [report]);
      if (adapter.protocol === 'acp') return acpReports(this.#acp(adapter));
      const servers = acpHttp.map((profile) => acpHttpReports(profile, this.#server(adapter)));
      return Promise.all(servers).then((reports) => reports.flat());
    });
    return [...(await Promise.all(found)).flat(), await this.#demo().report()];
  }

  #demo(): SingleSource {
    const { adapters, clock, demoDir, settings } = this.#deps;
    return demoSource(demoDir, settings(), { adapters, clock });
  }

  #outputFile(profile: string): AgentSource {
    const { adapters, clock, settings } = this.#deps;
    return outputFileSource(profile, { adapters, clock, speed: settings().replaySpeed ?? 1 });
  }

  #program(adapter: AgentAdapter): SingleSource {
    return programSource(adapter, this.#deps.settings().agents?.[adapter.type] ?? {}, this.#started());
  }

  #acp(adapter: AgentAdapter) {
    const { settings, version = 'unknown' } = this.#deps;
    return { ...this.#started(), adapter, settings: settings(), clientVersion: version };
  }

  #started(): SourceDeps {
    const { adapters, clock, environment } = this.#deps;
    const ladder = (polite: NodeJS.Signals): readonly LadderStep[] => [
      { signal: polite, graceMs: this.#politeMs },
      { signal: 'SIGTERM', graceMs: this.#deps.timing?.termGrace ?? 5000 },
    ];
    return { environment, adapters, programs: this.#programs, leases: this.#leases, clock, ladder };
  }

  #server(adapter: AgentAdapter) {
    const { clock, settings } = this.#deps;
    return { adapter, settings: settings(), clock, graceMs: this.#politeMs };
  }

  get #politeMs(): number {
    return this.#deps.timing?.politeGrace ?? 5000;
  }
}
