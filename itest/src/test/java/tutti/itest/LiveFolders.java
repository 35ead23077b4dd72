package tutti.itest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** Folders that running daemons change. */
final class LiveFolders {
    private LiveFolders() {}

    /** Returns the files and folders below a folder, itself first, sorted; without those that are deleted meanwhile. */
    static List<Path> below(final Path folder) throws IOException {
        final List<Path> all = new ArrayList<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(final Path entered, final BasicFileAttributes attributes) {
                all.add(entered);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes) {
                all.add(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(final Path file, final IOException e) throws IOException {
                return unlessDeleted(e);
            }

            @Override
            public FileVisitResult postVisitDirectory(final Path left, final IOException e) throws IOException {
                return e == null ? FileVisitResult.CONTINUE : unlessDeleted(e);
            }
        });
        all.sort(null);
        return all;
    }

    /** Deletes a folder with all that is in it. */
    static void delete(final Path folder) {
        try {
            for (final Path path : below(folder).reversed()) {
                Files.deleteIfExists(path);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static FileVisitResult unlessDeleted(final IOException e) throws IOException {
        if (e instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
        }
        throw e;
    }
}
