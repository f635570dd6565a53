import { AspectRatio, Center, Image } from '@mantine/core';

/** First letters of the first and the last word. */
function initialsOf(title: string): string {
  const letters = title.match(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu) ?? [];
  return [...letters.slice(0, 1), ...letters.slice(1).slice(-1)].join('').toLocaleUpperCase();
}

/** Angle of a color on the color wheel: the same for each title. */
const hueOf = (title: string): number =>
  [...title].reduce((hue, letter) => (hue * 31 + (letter.codePointAt(0) ?? 0)) % 360, 0);

interface CourseImageProps {
  /** Address of the image; null or empty if the course has none. */
  thumbnail: string | null;
  /** Title of the course, whose initials replace a missing image. */
  title?: string;
  ratio?: number;
}

/** Image of a course, or its initials on a color of its own. No alternative text, because the title is beside it. */
export function CourseImage({ thumbnail, title = '', ratio = 16 / 9 }: CourseImageProps) {
  return (
    <AspectRatio ratio={ratio}>
      {!thumbnail ? (
        <Center className="image-placeholder" data-initials={initialsOf(title)} style={{ '--hue': hueOf(title) }} />
      ) : (
        <Image src={thumbnail} alt="" fit="cover" loading="lazy" />
      )}
    </AspectRatio>
  );
}
