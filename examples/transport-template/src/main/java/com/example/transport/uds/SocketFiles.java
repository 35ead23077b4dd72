package com.example.transport.uds;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files of the sockets: a port number is the name of a file in a folder that only the user can read. */
final class SocketFiles {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private SocketFiles() {}

    /** Returns the file of a port. */
    static Path of(final int port) throws IOException {
        final String user = System.getProperty("user.name");
        final Path folder = Path.of(System.getProperty("java.io.tmpdir"), "tutti-uds-" + user);
        try {
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (final FileAlreadyExistsException e) {
            if (!Files.getOwner(folder).getName().equals(user) || !Files.getPosixFilePermissions(folder).equals(OWNER_ONLY)) {
                throw new IOException("folder can be used by others: " + folder, e);
            }
        }
        return folder.resolve(Integer.toString(port));
    }
}
