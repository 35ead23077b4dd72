package tutti.mpi;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Rank;
import tutti.runtime.comm.RankScope;

/** Runs the {@code main} method of a class of package {@code programs} on ranks in this JVM. Each rank has its own statics and class MPI. */
public final class Programs {
    private static final int ROOM = 128 * 1024;

    private Programs() {}

    /** Runs a program between Init and Finalize, on ranks that are assigned to nodes cyclically. */
    public static void run(final int ranks, final int nodes, final Class<?> program) throws Exception {
        Ranks.run(ranks, nodes, List.of(new BasicModule()), rank -> main(rank, program));
    }

    /** Runs a program as {@link #run(int, int, Class)} does, with a value of the job's parameter {@code check}. */
    public static void run(final int ranks, final int nodes, final String check, final Class<?> program) throws Exception {
        run(ranks, nodes, Map.of("check", check), program);
    }

    /** Runs a program as {@link #run(int, int, Class)} does, with parameters of the job. */
    public static void run(final int ranks, final int nodes, final Map<String, String> parameters, final Class<?> program) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(ROOM)) {
            Ranks.run(ranks, nodes, transport, Ranks.job(ranks, parameters, List.of(new BasicModule())), rank -> main(rank, program));
        }
    }

    /** Runs a program on a rank. */
    public static void main(final Rank rank, final Class<?> program, final String... args) throws Exception {
        try {
            new Loader(rank).loadClass(program.getName()).getMethod("main", String[].class).invoke(null, (Object) args);
        } catch (final InvocationTargetException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw (Error) e.getCause();
        }
    }

    /** The class loader of a rank. */
    private static final class Loader extends ClassLoader implements RankScope {
        private static final Set<String> PER_RANK = Set.copyOf(new MpiClasses().perRank());
        private final Rank rank;

        Loader(final Rank rank) {
            super(Programs.class.getClassLoader());
            this.rank = rank;
        }

        @Override
        public Rank rank() {
            return rank;
        }

        @Override
        protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
            if (!PER_RANK.contains(name) && !name.startsWith("programs.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                final Class<?> known = findLoadedClass(name);
                return known != null ? known : define(name);
            }
        }

        private Class<?> define(final String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                final byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (final IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
