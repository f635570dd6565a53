import { Button, FileButton, Group, Paper, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface DropZoneProps {
  /** Says which files can be dropped. */
  hint: string;
  /** Label of the button to choose files. */
  action: string;
  /** Whether the user can choose several files together; several files can always be dropped. */
  multiple?: boolean;
  onFiles(files: File[]): void;
}

/** Accepts files by drag and drop, or by a button. */
export function DropZone({ hint, action, multiple = false, onFiles }: DropZoneProps) {
  const { t } = useTranslation();
  const [over, setOver] = useState(false);
  const reset = useRef<() => void>(null);

  function onDrop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    const files = [...event.dataTransfer.files];
    if (files.length > 0) onFiles(files);
  }

  return (
    <Paper
      withBorder
      p="md"
      role="group"
      aria-label={t('upload.zone')}
      className="drop-zone"
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <Group>
        <IconUpload size={24} stroke={1.5} aria-hidden />
        <Text size="sm" flex={1} miw={160}>
          {hint}
        </Text>
        <FileButton
          multiple={multiple}
          resetRef={reset}
          onChange={(chosen) => {
            if (chosen) onFiles([chosen].flat());
            // Otherwise choosing the same file again, after a failure, would fire no event.
            reset.current?.();
          }}
        >
          {(props) => (
            <Button variant="default" {...props}>
              {action}
            </Button>
          )}
        </FileButton>
      </Group>
    </Paper>
  );
}
