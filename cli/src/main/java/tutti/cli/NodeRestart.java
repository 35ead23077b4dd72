package tutti.cli;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;

/**
 * Restart of the process of a node: it is replaced by one with the same command line, process id and streams, which listens on the same address.
 * Threads and memory of the old one are gone, whatever they are.
 */
final class NodeRestart {
    /** Option of {@code tutti daemon}: the temporary folder of the node before it was restarted. */
    static final String TEMPORARY = "--temporary";
    /** Option of {@code tutti daemon}: addresses of nodes that the node joins when they answer. */
    static final String MEMBERS = "--members";

    private static final Path SELF = Path.of("/proc/self");
    private static final String COMMAND = "daemon";
    private static final String JOIN = "--join";
    private static final String LISTEN = "--listen";
    private static final Set<String> REPLACED = Set.of(LISTEN, TEMPORARY, MEMBERS);
    private static final int FIRST_OWN = 3;
    private static final int F_SETFD = 2;
    private static final int FD_CLOEXEC = 1;

    private NodeRestart() {}

    /**
     * Replaces this process. Returns never.
     *
     * @param address   the address on which the node listens
     * @param temporary temporary folder of the node; null if it has a folder of its own
     * @param members   addresses of the other nodes, with commas between them
     * @throws CommandFailure when the process cannot be replaced
     */
    static void restart(final HostPort address, final @Nullable Path temporary, final String members) {
        try {
            final String[] words = Files.readString(SELF.resolve("cmdline")).split("\0");
            replace(Files.readSymbolicLink(SELF.resolve("exe")), command(List.of(words), address, temporary, members),
                temporary == null ? null : TempFolders.lockOf(temporary).toRealPath());
        } catch (final IOException | RuntimeException e) {
            throw new CommandFailure(ExitStatus.NO_CLUSTER, "the node has stopped and cannot restart itself: " + e + "; start it again", e);
        }
    }

    /** Returns the command line of the new process, given that of this one. */
    static List<String> command(final List<String> words, final HostPort address, final @Nullable Path temporary, final String members) {
        final List<String> command = new ArrayList<>();
        boolean isValue = false;
        boolean isOption = false;
        for (final String word : words) {
            final String name = word.split("=", 2)[0];
            if (isValue) {
                isValue = false;
            } else if (isOption && (REPLACED.contains(name) || name.equals(JOIN) && !members.isEmpty())) {
                isValue = name.equals(word);
            } else {
                command.add(word);
                isOption = isOption || word.equals(COMMAND);
            }
        }
        command.addAll(List.of(LISTEN, address.toString()));
        if (temporary != null) {
            command.addAll(List.of(TEMPORARY, temporary.toString()));
        }
        if (!members.isEmpty()) {
            command.addAll(List.of(MEMBERS, members));
        }
        return command;
    }

    @SuppressWarnings("restricted") // the launcher of nodes enables native access
    private static void replace(final Path program, final List<String> command, final @Nullable Path kept) throws IOException {
        final Linker linker = Linker.nativeLinker();
        final MethodHandle exec = linker.downcallHandle(linker.defaultLookup().findOrThrow("execv"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment words = arena.allocate(ValueLayout.ADDRESS, command.size() + 1L);
            for (int i = 0; i < command.size(); i++) {
                words.setAtIndex(ValueLayout.ADDRESS, i, arena.allocateFrom(command.get(i), StandardCharsets.UTF_8));
            }
            final MemorySegment path = arena.allocateFrom(program.toString(), StandardCharsets.UTF_8);
            closeAtExec(linker, kept);
            final int result = (int) exec.invokeExact(path, words);
            throw new IOException("execv of " + program + " returns " + result);
        } catch (final IOException | RuntimeException e) {
            throw e;
        } catch (final Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Marks files and sockets of this process, so that the new one does not have them open; but for the lock of its folder, which nobody may get. */
    @SuppressWarnings("restricted") // as above
    private static void closeAtExec(final Linker linker, final @Nullable Path kept) throws Throwable {
        final MethodHandle control = linker.downcallHandle(linker.defaultLookup().findOrThrow("fcntl"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
            Linker.Option.firstVariadicArg(2));
        try (DirectoryStream<Path> open = Files.newDirectoryStream(SELF.resolve("fd"))) {
            for (final Path file : open) {
                final int descriptor = Integer.parseInt(file.getFileName().toString());
                if (descriptor >= FIRST_OWN && !Files.readSymbolicLink(file).equals(kept)) {
                    final int ignored = (int) control.invokeExact(descriptor, F_SETFD, FD_CLOEXEC);
                }
            }
        }
    }
}
