package tutti.checkpoint;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import mpi.Bindings;
import mpi.Comm;
import mpi.Datatype;
import mpi.Group;
import mpi.MPIException;
import org.jspecify.annotations.Nullable;
import tutti.runtime.checkpoint.RankCheckpoints;
import tutti.runtime.checkpoint.StateItem;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * The state that a program saves at checkpoints of its job, and the points at which it is saved.
 *
 * <pre>{@code
 *   Checkpoint state = Checkpoint.of(MPI.COMM_WORLD);
 *   state.array("plate", plate);                            // filled now if the job continues from a checkpoint
 *   step = state.value("step", 0, () -> step);              // 0, or what was saved
 *   while (step < steps) {
 *       ...
 *       step++;
 *       Checkpoint.here(MPI.COMM_WORLD);
 *   }
 * }</pre>
 *
 * <p>State is registered by name, and restored by the first registration of that name in a job that continues from a checkpoint. A name that the
 * checkpoint does not have leaves the object as it is.
 *
 * <p>All ranks call {@link #here} at the same points, as they call collective operations: no message that was sent after a point is received before
 * it on another rank. No nonblocking or persistent operation may be active at a point. Messages that were sent before and are received afterwards
 * are part of the checkpoint, on {@code MPI.COMM_WORLD}, {@code MPI.COMM_SELF} and {@linkplain #comm registered} communicators.
 *
 * <p><b>Threads.</b> For one thread of the rank at a time.
 */
public final class Checkpoint {
    private static final String SERIALIZED = "serialized";
    private static final String WRITTEN = "written";

    private final Comm comm;
    private final RankCheckpoints checkpoints;

    private Checkpoint(final Comm comm, final RankCheckpoints checkpoints) {
        this.comm = comm;
        this.checkpoints = checkpoints;
    }

    /**
     * Returns the state of the calling rank; there is one, whichever communicator is passed.
     *
     * <p>With a communicator that {@link Comm#replace} has made, and on a rank that has taken the place of another one, the first call does what
     * {@link #restore} does. All ranks of the communicator call it.
     *
     * @param comm a communicator with all ranks of the job
     */
    public static Checkpoint of(final Comm comm) throws MPIException {
        return new Checkpoint(comm, Bindings.restored(comm, false));
    }

    /**
     * Returns the state of the calling rank as it was at the last checkpoint that can be restored: from the memory of other ranks, or else from disk.
     * All ranks of the communicator call it. What was registered before is forgotten; the program registers it again, which fills it. Messages that
     * ranks have sent since the checkpoint are dropped.
     *
     * <p>If there is no such checkpoint, {@link #isRestart} returns false, and what is registered stays as it is: the program begins anew.
     *
     * @param comm a communicator with all ranks of the job, as {@link Comm#replace} makes it
     * @throws MPIException with class {@code ERR_PROC_FAILED} or {@code ERR_REVOKED} if ranks fail meanwhile: replace them, then restore again
     */
    public static Checkpoint restore(final Comm comm) throws MPIException {
        return new Checkpoint(comm, Bindings.restored(comm, true));
    }

    /**
     * Marks a point at which the state may be saved. It is saved on disk when {@code tutti checkpoint} asks for it, or as parameter
     * {@code checkpoint.every} says, and in the memory of other ranks as parameters {@code checkpoint.memory} and {@code checkpoint.memory.every}
     * say; otherwise the call takes some nanoseconds. All ranks call it. When the state cannot be saved, the program goes on, and a warning says
     * why.
     *
     * @param comm a communicator with all ranks of the job
     * @return whether the state was saved, equal on all ranks
     */
    public static boolean here(final Comm comm) throws MPIException {
        try {
            return Bindings.checkpoints(comm).here();
        } catch (final MpiFailure e) {
            throw Bindings.raise(comm, e);
        }
    }

    /**
     * Saves the state, without being asked: in the memory of other ranks if the job has parameter {@code checkpoint.memory}, else on disk. All ranks
     * call it.
     *
     * @param comm a communicator with all ranks of the job
     * @return whether the state was saved, equal on all ranks; if not, a warning says why
     */
    public static boolean force(final Comm comm) throws MPIException {
        try {
            return Bindings.checkpoints(comm).force();
        } catch (final MpiFailure e) {
            throw Bindings.raise(comm, e);
        }
    }

    /** Returns whether the job continues from a checkpoint, or has gone back to one. */
    public boolean isRestart() {
        return checkpoints.isRestart();
    }

    /**
     * Registers an array of a primitive type.
     *
     * @param array the array; must have the length that it had when it was saved
     */
    public void array(final String name, final Object array) throws MPIException {
        if (array instanceof final boolean[] flags) {
            state("boolean[]", name, out -> {
                out.writeInt(flags.length);
                for (final boolean flag : flags) {
                    out.writeBoolean(flag);
                }
            }, in -> {
                checkLength(name, in.readInt(), flags.length);
                for (int i = 0; i < flags.length; i++) {
                    flags[i] = in.readBoolean();
                }
            });
            return;
        }
        memory(array == null ? "null" : array.getClass().getSimpleName(), name, switch (array) {
            case final byte[] a -> MemorySegment.ofArray(a);
            case final char[] a -> MemorySegment.ofArray(a);
            case final short[] a -> MemorySegment.ofArray(a);
            case final int[] a -> MemorySegment.ofArray(a);
            case final long[] a -> MemorySegment.ofArray(a);
            case final float[] a -> MemorySegment.ofArray(a);
            case final double[] a -> MemorySegment.ofArray(a);
            // Cause: `array` saves arrays of numbers.
            case null, default -> throw error("no array of a primitive type: name=" + name + ", object=" + (array == null ? null
                : array.getClass().getName()) + "; register objects with value or state");
        });
    }

    /**
     * Registers the bytes of a buffer, all of them, whatever its position and limit.
     *
     * @param buffer the buffer; must have the capacity that it had when it was saved
     */
    public void buffer(final String name, final ByteBuffer buffer) throws MPIException {
        memory("ByteBuffer", name, MemorySegment.ofBuffer(buffer.duplicate().clear()));
    }

    private void memory(final String kind, final String name, final MemorySegment memory) throws MPIException {
        calling(() -> {
            final long saved = checkpoints.savedBytes(kind, name);
            if (saved >= 0) {
                checkLength(name, saved, memory.byteSize());
                checkpoints.read(kind, name, memory);
            }
            checkpoints.register(kind, name, () -> memory);
        });
    }

    private static void checkLength(final String name, final long saved, final long length) {
        if (saved != length) {
            // Cause: the array or memory has another size than in the checkpoint. Remedy: the size that it had.
            throw new MpiFailure(ErrorClass.ARG,
                "the state had another length when it was saved: name=" + name + ", saved=" + saved + ", now=" + length);
        }
    }

    /**
     * Registers a value: a record or another object that can be serialized.
     *
     * @param initial what is returned if the job does not continue from a checkpoint that has the value
     * @param current returns the value at each checkpoint
     * @return the saved value, or the initial one
     */
    public <T extends @Nullable Serializable> T value(final String name, final T initial, final Supplier<? extends T> current) throws MPIException {
        final AtomicReference<T> value = new AtomicReference<>(initial);
        state(SERIALIZED, name, out -> new ObjectOutputStream(out).writeObject(current.get()),
            in -> value.set(deserialize(in, current.getClass().getClassLoader())));
        return value.get();
    }

    @SuppressWarnings("unchecked")
    private static <T extends @Nullable Serializable> T deserialize(final InputStream in, final ClassLoader loader) throws IOException {
        final ObjectInputStream objects = new ObjectInputStream(in) {
            @Override
            protected Class<?> resolveClass(final ObjectStreamClass type) throws IOException, ClassNotFoundException {
                try {
                    return Class.forName(type.getName(), false, loader);
                } catch (final ClassNotFoundException e) {
                    return super.resolveClass(type);
                }
            }
        };
        try {
            return (T) objects.readObject();
        } catch (final ClassNotFoundException e) {
            throw new IOException("the class of a saved value is not in the program: " + e.getMessage(), e);
        }
    }

    /**
     * Registers state that the program writes and reads itself.
     *
     * @param writer writes the state at each checkpoint
     * @param reader reads the state; called at once if the job continues from a checkpoint that has it
     */
    public void state(final String name, final StateWriter writer, final StateReader reader) throws MPIException {
        state(WRITTEN, name, writer, reader);
    }

    private void state(final String kind, final String name, final StateWriter writer, final StateReader reader) throws MPIException {
        calling(() -> {
            final byte[] saved = saved(kind, name);
            if (saved != null) {
                try {
                    reader.read(new DataInputStream(new ByteArrayInputStream(saved)));
                } catch (final IOException e) {
                    // Cause: the reader of the program failed. Remedy: correct it; the writer must write what it reads.
                    throw new MpiFailure(ErrorClass.OTHER, "the state cannot be restored: name=" + name + ": " + e.getMessage());
                }
            }
            checkpoints.register(kind, name, bytes(writer));
        });
    }

    private static StateItem bytes(final StateWriter writer) {
        return () -> {
            final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (DataOutputStream out = new DataOutputStream(bytes)) {
                writer.write(out);
            }
            return MemorySegment.ofArray(bytes.toByteArray());
        };
    }

    private byte @Nullable [] saved(final String kind, final String name) {
        final long bytes = checkpoints.savedBytes(kind, name);
        if (bytes < 0) {
            return null;
        }
        final byte[] saved = new byte[Math.toIntExact(bytes)];
        checkpoints.read(kind, name, MemorySegment.ofArray(saved));
        return saved;
    }

    /**
     * Creates and registers a communicator of this job; its ranks call this in the same order. In a job that continues from a checkpoint, it must be
     * created with the ranks and the topology that it had; its messages are then restored, and its modules continue.
     *
     * @param creator creates the communicator
     * @return the communicator; on ranks that are not in it, one for which {@link Comm#isNull} returns true, which is not registered
     */
    public <C extends Comm> C comm(final String name, final Creator<C> creator) throws MPIException {
        final C made = creator.create();
        if (!made.isNull()) {
            final byte[] shape = Bindings.shape(made, checkpoints).getBytes(StandardCharsets.UTF_8);
            calling(() -> {
                checkShape(name, saved("communicator", name), shape);
                checkpoints.register("communicator", name, Bindings.handle(made), () -> MemorySegment.ofArray(shape));
            });
        }
        return made;
    }

    /** Creates and registers a group; in a job that continues from a checkpoint, it must have the ranks that it had. */
    public Group group(final String name, final Creator<Group> creator) throws MPIException {
        final Group made = creator.create();
        shaped("group", name, Bindings.shape(made, checkpoints));
        return made;
    }

    /** Creates and registers a datatype; in a job that continues from a checkpoint, it must have the layout that it had. */
    public Datatype type(final String name, final Creator<Datatype> creator) throws MPIException {
        final Datatype made = creator.create();
        shaped("datatype", name, Bindings.shape(made));
        return made;
    }

    private void shaped(final String kind, final String name, final String shape) throws MPIException {
        final byte[] bytes = shape.getBytes(StandardCharsets.UTF_8);
        calling(() -> {
            checkShape(name, saved(kind, name), bytes);
            checkpoints.register(kind, name, () -> MemorySegment.ofArray(bytes));
        });
    }

    private static void checkShape(final String name, final byte @Nullable [] saved, final byte[] made) {
        if (saved != null && !new String(saved, StandardCharsets.UTF_8).equals(new String(made, StandardCharsets.UTF_8))) {
            // Cause: the class of a buffer or array that is saved was changed. Remedy: run the program that has saved it, or begin without
            // `--restart`.
            throw new MpiFailure(ErrorClass.ARG, "another object was saved: name=" + name + ", saved=" + new String(saved, StandardCharsets.UTF_8)
                + ", made=" + new String(made, StandardCharsets.UTF_8));
        }
    }

    /**
     * Registers an attribute of a communicator, whose values can be serialized. If the job continues from a checkpoint, the attribute gets the saved
     * value now.
     *
     * @param of     the communicator
     * @param keyval key of the attribute
     */
    public void attribute(final String name, final Comm of, final int keyval) throws MPIException {
        final AtomicReference<@Nullable Serializable> value = new AtomicReference<>();
        final ClassLoader loader = Thread.currentThread().getContextClassLoader();
        state("attribute", name, out -> {
            try {
                new ObjectOutputStream(out).writeObject(of.getAttr(keyval));
            } catch (final MPIException e) {
                throw new IOException(e.getMessage(), e);
            }
        }, in -> value.set(deserialize(in, loader)));
        if (value.get() != null) {
            of.setAttr(keyval, value.get());
        }
    }

    /** Removes what was registered under a name, so that later checkpoints do not have it. */
    public void remove(final String name) throws MPIException {
        if (!checkpoints.remove(name)) {
            // Cause: it was removed, or the name is another one. Remedy: the name that was given when it was registered.
            throw error("nothing is registered under the name: name=" + name);
        }
    }

    private void calling(final Runnable call) throws MPIException {
        try {
            call.run();
        } catch (final MpiFailure e) {
            throw Bindings.raise(comm, e);
        }
    }

    private MPIException error(final String message) {
        return Bindings.raise(comm, new MpiFailure(ErrorClass.ARG, message));
    }
}
