import type { AgentAdapter } from '../../agents/adapter.ts';
import type { Session } from '../../model/session/session.ts';
import { acpReports, acpLauncher } from '../acp/launcher.ts';
import { acpHttpReports, acpHttpLauncher } from '../acpHttp/launcher.ts';
import {
  demoLauncher,
  programLauncher,
  type AgentLauncher,
  type ReportOptions,
  type SingleLauncher,
  type LauncherDeps,
} from './agentLauncher.ts';
import type { AgentReport, EngineSettings } from '../api.ts';
import type { EngineDeps } from '../engineDeps.ts';
import { failures } from '../failures/failures.ts';
import { agentEnvironment } from '../process/agentEnvironment.ts';
import type { ProcessLeases } from '../process/leases.ts';
import type { LadderStep } from '../process/stopProcessTree.ts';
import { ProgramFinder } from '../programs/programFinder.ts';
import { outputFileLauncher } from '../replay/outputFile.ts';

/** Identifies the agent of a session. */
export type AgentOfSession = Pick<Session, 'executor_type' | 'executor_profile' | 'project_dir'>;

/** All agents in the current settings. */
export class AgentLaunchers {
  readonly #deps: EngineDeps;
  readonly #leases: ProcessLeases;
  readonly #programs: ProgramFinder;

  constructor(deps: EngineDeps, leases: ProcessLeases) {
    this.#deps = deps;
    this.#leases = leases;
    this.#programs = new ProgramFinder(deps.mayAsk);
  }

  /** Forgets cached program paths. */
  refresh(): void {
    this.#programs.refresh();
  }

  /** @throws EngineFailure */
  launcherFor({ executor_type: type, executor_profile: profile, project_dir: folder }: AgentOfSession): AgentLauncher {
    const { adapters } = this.#deps;
    const settings = this.#deps.settings(folder);
    if (type === 'replay')
      return profile === undefined ? this.#makeDemoLauncher(settings) : this.#makeOutputFileLauncher(profile, settings);
    const adapter = adapters.find((agentAdapter) => agentAdapter.type === type);
    if (adapter === undefined) throw failures.agentUnknown(type ?? 'unknown');
    if (adapter.protocol === 'acp-http') return acpHttpLauncher(profile, this.#serverDeps(adapter, settings));
    return adapter.protocol === 'acp'
      ? acpLauncher(profile, this.#acpDeps(adapter, settings))
      : this.#makeProgramLauncher(adapter, settings);
  }

  /** For reading old output; needs no program. */
  async findReadingLauncher(agent: AgentOfSession): Promise<AgentLauncher | null> {
    try {
      const source = this.launcherFor(agent);
      if (source.recording) await source.prepare();
      return source;
    } catch {
      return null;
    }
  }

  /** Whether the program of the session's agent is installed; `undefined` for agents without a program of their own. */
  async isInstalled({ executor_type: type, project_dir: folder }: AgentOfSession): Promise<boolean | undefined> {
    const { adapters, environment: own, settings: settingsOf } = this.#deps;
    const adapter = adapters.find((agentAdapter) => agentAdapter.type === type);
    if (adapter === undefined || adapter.protocol !== undefined) return undefined;
    const settings = settingsOf(folder);
    const { program, environment } = settings.agents?.[adapter.type] ?? {};
    const { variables: env } = agentEnvironment(settings.environment ?? own, [], environment);
    return this.#programs.isInstalled(adapter, { explicitPath: program, env });
  }

  async reports(options: ReportOptions): Promise<readonly AgentReport[]> {
    const { adapters } = this.#deps;
    const settings = this.#deps.settings();
    const { acpHttp = [] } = settings;
    const found = adapters.map((adapter): Promise<readonly AgentReport[]> => {
      if (adapter.protocol === undefined)
        return this.#makeProgramLauncher(adapter, settings)
          .report(options)
          .then((report) => [report]);
      if (adapter.protocol === 'acp') return acpReports(this.#acpDeps(adapter, settings));
      const servers = acpHttp.map((profile) => acpHttpReports(profile, this.#serverDeps(adapter, settings)));
      return Promise.all(servers).then((reports) => reports.flat());
    });
    return [...(await Promise.all(found)).flat(), await this.#makeDemoLauncher(settings).report()];
  }

  #makeDemoLauncher(settings: EngineSettings): SingleLauncher {
    const { adapters, clock, demoDir } = this.#deps;
    return demoLauncher(demoDir, settings, { adapters, clock });
  }

  #makeOutputFileLauncher(profile: string, { replaySpeed = 1 }: EngineSettings): AgentLauncher {
    const { adapters, clock } = this.#deps;
    return outputFileLauncher(profile, { adapters, clock, speed: replaySpeed });
  }

  #makeProgramLauncher(adapter: AgentAdapter, settings: EngineSettings): SingleLauncher {
    return programLauncher(adapter, settings.agents?.[adapter.type] ?? {}, this.#launcherDeps(settings));
  }

  #acpDeps(adapter: AgentAdapter, settings: EngineSettings) {
    const { version = 'unknown' } = this.#deps;
    return { ...this.#launcherDeps(settings), adapter, settings, clientVersion: version };
  }

  #launcherDeps(settings: EngineSettings): LauncherDeps {
    const { environment = this.#deps.environment } = settings;
    const { adapters, clock } = this.#deps;
    const ladder = (polite: NodeJS.Signals): readonly LadderStep[] => [
      { signal: polite, graceMs: this.#politeGraceMs(settings) },
      { signal: 'SIGTERM', graceMs: this.#deps.timing?.termGraceMs ?? 5000 },
    ];
    return { environment, adapters, programs: this.#programs, leases: this.#leases, clock, ladder };
  }

  #serverDeps(adapter: AgentAdapter, settings: EngineSettings) {
    return { adapter, settings, clock: this.#deps.clock, graceMs: this.#politeGraceMs(settings) };
  }

  #politeGraceMs({ timing }: EngineSettings): number {
    return timing?.politeGraceMs ?? this.#deps.timing?.politeGraceMs ?? 5000;
  }
}
