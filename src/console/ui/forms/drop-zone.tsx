import { Button, FileButton, Group, Paper, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface DropZoneProps {
  /** What can be dropped there. */
  hint: string;
  /** Names the button that chooses files instead. */
  action: string;
  /** Whether several can be chosen at once; what is dropped may be several in any case. */
  multiple?: boolean;
  onFiles(files: File[]): void;
}

/** Takes files that are dropped on it, or chosen by its button. */
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
            // Else the same file, chosen again after a failure, would be no change.
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
