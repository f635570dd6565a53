/** One server of a cluster. */
export interface ClusterNode {
  /** URL of the server, without a database. */
  url: string;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on what it left, and waits until it takes part. */
  rejoin(): Promise<void>;
}

/** A cluster of servers on this machine that nobody else knows of. */
export interface Cluster {
  nodes: ClusterNode[];
  stop(): void;
}
