export interface ClusterNode {
  /** URL of the server, without a database. */
  url: string;
  /** Kills the server with SIGKILL. */
  kill(): Promise<void>;
  /** Restarts the server with its data, and waits until it has joined the cluster. */
  rejoin(): Promise<void>;
}

/** A private cluster of servers on this machine. */
export interface Cluster {
  nodes: ClusterNode[];
  stop(): void;
}
