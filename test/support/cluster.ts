export interface ClusterNode {
  /** URL of the server; it names no database. */
  url: string;
  /** Kills the server with SIGKILL. */
  kill(): Promise<void>;
  /** Restarts the server with its data, and waits until it has joined the cluster. */
  rejoin(): Promise<void>;
}

/** A cluster of database servers on this machine, for tests only. */
export interface Cluster {
  nodes: ClusterNode[];
  stop(): void;
}
