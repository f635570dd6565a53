export interface ResumeOptions {
  credentials?: string;
  rejects?: string;
  yes?: true;
}

export interface UndoOptions {
  dryRun?: true;
  yes?: true;
}

export interface OutputOptions {
  output?: string;
}
