package tutti.daemon.command;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The files of a folder and of those below it, while others may delete some of them. */
final class FolderFiles {
    private FolderFiles() {}

    /** Returns the regular files, sorted. */
    static List<Path> of(final Path folder) throws IOException {
        final List<Path> files = new ArrayList<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes) {
                if (Files.isRegularFile(file)) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(final Path file, final IOException e) throws IOException {
                return passOver(file, e);
            }

            @Override
            public FileVisitResult postVisitDirectory(final Path within, final @Nullable IOException e) throws IOException {
                return e == null ? FileVisitResult.CONTINUE : passOver(within, e);
            }

            private FileVisitResult passOver(final Path path, final IOException e) throws IOException {
                if (e instanceof NoSuchFileException && !path.equals(folder)) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
        files.sort(null);
        return files;
    }
}
