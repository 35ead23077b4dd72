package mpi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** The arguments of spawn, at the root. */
final class SpawnArguments {
    private static final List<String> KEYS = List.of("host", "wdir", "path", "soft");

    private SpawnArguments() {}

    /**
     * Returns the arguments as the runtime's commands.
     *
     * @throws MpiFailure when they are not valid, which is an error of all ranks
     */
    static List<SpawnRequest.Command> commands(final String[] commands, final String @Nullable [][] argv, final int[] maxprocs,
        final Info @Nullable [] infos) {
        if (commands == null || commands.length == 0 || maxprocs == null || maxprocs.length < commands.length
            || argv != null && argv.length < commands.length || infos != null && infos.length < commands.length) {
            // Cause: arrays of different lengths, or none. Remedy: one number for each command.
            throw new MpiFailure(ErrorClass.ARG, "spawn needs a command, and a number of processes for each");
        }
        final List<SpawnRequest.Command> all = new ArrayList<>();
        for (int i = 0; i < commands.length; i++) {
            if (commands[i] == null || commands[i].isBlank()) {
                // Remedy: the name of a program.
                throw new MpiFailure(ErrorClass.SPAWN, "command is empty: index=" + i);
            }
            if (maxprocs[i] < 1) {
                // Cause: `spawn` starts at least one process. Remedy: 1 or more.
                throw new MpiFailure(ErrorClass.ARG, "number of processes out of range: maxprocs=" + maxprocs[i] + ", min=1, command=" + commands[i]);
            }
            all.add(new SpawnRequest.Command(commands[i], argv == null || argv[i] == null ? List.of() : List.of(argv[i]), maxprocs[i],
                infos == null ? Map.of() : hints(infos[i])));
        }
        return all;
    }

    private static Map<String, String> hints(final @Nullable Info info) {
        final Map<String, String> hints = new TreeMap<>();
        if (info != null && !info.isNull()) {
            for (final String key : KEYS) {
                try {
                    final String value = info.get(key);
                    if (value != null) {
                        hints.put(key, value);
                    }
                } catch (final MPIException e) {
                    throw e.toFailure();
                }
            }
        }
        return hints;
    }

    /** Sets the error code of each process that may have been requested; null is ignored. */
    static void fill(final int @Nullable [] errcodes, final BitSet started) {
        if (errcodes != null) {
            Arrays.setAll(errcodes, i -> started.get(i) ? MPI.SUCCESS : MPI.ERR_SPAWN);
        }
    }
}
