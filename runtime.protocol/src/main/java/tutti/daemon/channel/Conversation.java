package tutti.daemon.channel;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.Needs;
import tutti.daemon.security.Role;

/**
 * Conversation of the two ends of a {@link ControlChannel}: each calls methods of interfaces that the other one serves.
 *
 * <p><b>Interfaces.</b> Arguments and results are records, texts, numbers, lists and maps of them, which travel as JSON; no argument is null. The
 * last argument, or the result, may be an {@link InputStream}, whose bytes travel as they are read. A method that returns a {@link CompletionStage}
 * is a <em>call</em>: it is served on a thread of its own, where it may block, and calls may overtake each other. A method that returns nothing is a
 * <em>notice</em>: notices are served in the order in which they were sent, on a thread of the transport, and must not block. Methods may be
 * annotated with the role that the caller {@linkplain Needs needs}.
 *
 * <p><b>Failures.</b> The stage of a call completes with a {@link CallFailedException} when the other end refuses it or fails, and with another
 * {@link IOException} when the link is lost. There is no time limit: a call lasts as long as its link.
 *
 * <p><b>Withdrawal.</b> A caller gives up a call by completing the future of its stage, as {@link CompletableFuture#cancel} does. The other end may
 * be stopped and not know of the call yet. So further calls of the method wait until it has answered that one, and are not sent if they are given up
 * meanwhile: an end that is stopped for long finds no more calls than were made before the first one was given up.
 *
 * <p><b>Streams.</b> One end sends bytes of a stream when the other one reads them, and at most 1 MiB ahead. A stream given as an argument ends with
 * its call; the receiver of a stream that is a result closes it.
 *
 * <p>Safe for any thread. Methods do not block.
 */
public final class Conversation {
    /** Most calls at once that one end may make, unless the other sets another limit. */
    private static final int MAX_CALLS = 4096;
    private static final int MAX_NAME = 255;

    /** What happens with a stream. */
    private static final byte DATA = 0;
    static final byte END = 1;
    static final byte BROKEN = 2;
    /** Tells the end that sends bytes to stop; all other numbers in its place are credit. */
    private static final int STOP = 0;

    private final ControlChannel channel;
    private final Map<String, Served> served = new ConcurrentHashMap<>();
    private final AtomicInteger ids = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    /** Calls of this end that have no result yet, by their numbers. */
    private final Map<Integer, Pending> pending = new ConcurrentHashMap<>();
    /** Methods of those that were sent and given up, by their numbers. Guarded by {@link #held}. */
    private final Map<Integer, CallMethod> givenUp = new HashMap<>();
    /** What sends those that wait for the answer to one that was given up, by their numbers. Guarded by itself. */
    private final Map<Integer, Runnable> held = new TreeMap<>();
    /** Streams that this end reads, by the numbers of their calls: positive for calls of this end, negative for those of the other. */
    private final Map<Integer, IncomingStream> incoming = new ConcurrentHashMap<>();
    /** Streams that this end sends, by the numbers of their calls. */
    private final Map<Integer, OutgoingStream> outgoing = new ConcurrentHashMap<>();
    /** Why the link is lost, once it is. */
    private final CompletableFuture<String> closed = new CompletableFuture<>();
    private volatile int maxCalls = MAX_CALLS;

    /** Checks a call of the other end before it is served. */
    @FunctionalInterface
    public interface Gate {
        /**
         * Lets a call pass, or refuses it.
         *
         * @param method name of the method
         * @param needed role that the caller needs
         * @throws CallFailedException when it is refused
         */
        void check(String method, Role needed) throws CallFailedException;
    }

    /** Method that is served, and the object that serves it. */
    private record Served(CallMethod method, Object by, @Nullable Gate gate) {}

    /** Call that waits for its result. */
    private record Pending(CallMethod method, CompletableFuture<@Nullable Object> result) {}

    /** Failure of a call, in a frame. */
    private record Failure(int status, String text) {}

    Conversation(final ControlChannel channel) {
        this.channel = channel;
    }

    /** Serves an interface to the other end, whose calls need no role. Called before the other end may call its methods. */
    public <T> Conversation serve(final Class<T> type, final T by) {
        return serve(type, by, null);
    }

    /** Serves an interface to the other end, whose calls pass a gate; each method says the role that it needs. */
    public <T> Conversation serve(final Class<T> type, final T by, final @Nullable Gate gate) {
        CallMethod.of(type).forEach((name, method) -> {
            if (gate != null && method.needs() == null) {
                // Cause: an internal error. Remedy: report it.
                throw new IllegalArgumentException("no role is said: " + method.method());
            }
            served.put(name, new Served(method, by, gate));
        });
        return this;
    }

    /** Bounds the calls that the other end may make at once. */
    public Conversation limit(final int most) {
        maxCalls = most;
        return this;
    }

    /** Returns an object whose methods are served by the other end. */
    public <T> T peer(final Class<T> type) {
        final Map<Method, CallMethod> methods = new HashMap<>();
        CallMethod.of(type).values().forEach(m -> methods.put(m.method(), m));
        final InvocationHandler handler = (proxy, method, arguments) -> {
            final CallMethod of = methods.get(method);
            if (of != null) {
                return call(of, arguments == null ? new Object[0] : arguments);
            }
            return switch (method.getName()) {
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                case "toString" -> type.getSimpleName() + " of " + channel.peer();
                default -> InvocationHandler.invokeDefault(proxy, method, arguments);
            };
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /**
     * Returns the result of code that may fail, as the stage that a call returns. For the code of calls, which have threads of their own.
     *
     * @param code runs on this thread
     */
    public static <T extends @Nullable Object> CompletionStage<T> result(final Callable<T> code) {
        try {
            return CompletableFuture.completedStage(code.call());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedStage(e);
        } catch (final Exception e) {
            return CompletableFuture.failedStage(e);
        }
    }

    /** Returns whether one end is at work for the other, or a stream is not read to its end. */
    public boolean isBusy() {
        return calls.get() > 0 || !pending.isEmpty() || !incoming.isEmpty() || !outgoing.isEmpty();
    }

    private @Nullable CompletionStage<@Nullable Object> call(final CallMethod method, final Object[] arguments) {
        final byte[] json = MessageCodec.write(method.hasStream() ? Arrays.copyOf(arguments, arguments.length - 1) : arguments);
        if (method.isNotice()) {
            channel.post(FrameType.CALL, header(0, method.name()), json);
            return null;
        }
        ControlChannel.checkLength(json);
        final int id = ids.incrementAndGet();
        final byte[] header = header(id, method.name());
        final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        if (method.hasStream()) {
            send(id, (InputStream) arguments[arguments.length - 1]);
        }
        final Runnable sending = () -> channel.post(FrameType.CALL, header, json);
        final boolean isHeld;
        synchronized (held) {
            pending.put(id, new Pending(method, result));
            isHeld = givenUp.containsValue(method);
            if (isHeld) {
                held.put(id, sending);
            }
        }
        if (!isHeld) {
            sending.run();
        }
        final String reason = closed.getNow(null);
        if (reason != null) {
            end(reason);
        }
        final var _ = result.whenComplete((value, e) -> giveUp(id, method));
        return result;
    }

    /** Withdraws a call whose result is complete and that is not answered. Has no effect on others. */
    private void giveUp(final int id, final CallMethod method) {
        final boolean isSent;
        synchronized (held) {
            if (!pending.containsKey(id)) {
                return;
            }
            isSent = held.remove(id) == null;
            if (isSent) {
                givenUp.put(id, method);
            } else {
                pending.remove(id);
            }
        }
        final OutgoingStream argument = outgoing.remove(id);
        if (argument != null) {
            argument.stop();
            if (isSent) {
                sendEnd(id, BROKEN, "the call was given up");
            }
        }
    }

    /** Forgets a call that has ended, and sends those that have waited for it. */
    private void forget(final int id, final CallMethod method) {
        final List<Runnable> next = new ArrayList<>();
        synchronized (held) {
            pending.remove(id);
            held.remove(id);
            if (givenUp.remove(id) != null && !givenUp.containsValue(method)) {
                held.entrySet().removeIf(h -> Objects.requireNonNull(pending.get(h.getKey()), "it waits").method().equals(method)
                    && next.add(h.getValue()));
            }
        }
        next.forEach(Runnable::run);
    }

    private static byte[] header(final int id, final String name) {
        final byte[] ascii = name.getBytes(StandardCharsets.US_ASCII);
        if (ascii.length > MAX_NAME) {
            // Cause: an internal error. Remedy: report it.
            throw new IllegalArgumentException("name of a method too long: " + name);
        }
        return ByteBuffer.allocate(Integer.BYTES + 1 + ascii.length).putInt(id).put((byte) ascii.length).put(ascii).array();
    }

    /** Receives a call. */
    void called(final int id, final String name, final byte[] json) {
        final Served method = served.get(name);
        if (id == 0) {
            notice(name, method, json);
            return;
        }
        if (id < 0) {
            throw new IllegalStateException("number of a call out of range: id=" + id + ", peer=" + channel.peer());
        }
        if (calls.incrementAndGet() > maxCalls) {
            throw new IllegalStateException("too many calls at once: max=" + maxCalls + ", peer=" + channel.peer());
        }
        // before its bytes arrive
        final IncomingStream stream = method != null && method.method().hasStream() ? receive(-id) : null;
        Thread.ofVirtual().name("tutti-" + name).inheritInheritableThreadLocals(false).start(() -> serve(id, name, method, json, stream));
    }

    private void notice(final String name, final @Nullable Served method, final byte[] json) {
        if (method == null || !method.method().isNotice()) {
            throw new IllegalStateException("unexpected message: " + name);
        }
        try {
            check(method);
            method.method().call(method.by(), MessageCodec.readAll(json, method.method().arguments()));
        } catch (final Throwable e) {
            throw e instanceof final RuntimeException told ? told
                : new IllegalStateException("bad message from " + channel.peer() + ": " + Protocol.oneLine(e), e);
        }
    }

    private static void check(final Served method) throws CallFailedException {
        final Role needed = method.method().needs();
        if (method.gate() != null && needed != null) {
            method.gate().check(method.method().name(), needed);
        }
    }

    private static @Nullable Object[] read(final byte[] json, final List<Type> types) throws CallFailedException {
        try {
            return MessageCodec.readAll(json, types);
        } catch (final IOException e) {
            throw new CallFailedException(ExitStatus.FAILED, Protocol.oneLine(e), e);
        }
    }

    private void serve(final int id, final String name, final @Nullable Served method, final byte[] json, final @Nullable IncomingStream stream) {
        CompletionStage<?> result;
        try {
            if (method == null || method.method().isNotice()) {
                // Cause: the job ended while a part of it was prepared.
                throw new CallFailedException(ExitStatus.FAILED, "it has no method " + name);
            }
            check(method);
            final List<Type> types = method.method().arguments();
            final @Nullable Object[] arguments = read(json, types);
            final @Nullable Object[] all = stream == null ? arguments : Arrays.copyOf(arguments, arguments.length + 1);
            if (stream != null) {
                all[arguments.length] = stream;
            }
            result = (CompletionStage<?>) method.method().call(method.by(), all);
        } catch (final Throwable e) {
            result = CompletableFuture.failedStage(e);
        }
        if (result == null) {
            // Cause: an internal error. Remedy: report it.
            result = CompletableFuture.failedStage(new IllegalStateException(name + " returned no stage"));
        }
        result.whenComplete((value, e) -> {
            try {
                answer(id, value, e);
            } finally {
                calls.decrementAndGet();
                if (stream != null) {
                    stream.close();
                    incoming.remove(-id);
                }
            }
        });
    }

    private void answer(final int id, final @Nullable Object value, final @Nullable Throwable failure) {
        Throwable cause = failure;
        if (cause == null) {
            try {
                final InputStream stream = value instanceof final InputStream bytes ? bytes : null;
                if (stream != null) {
                    send(-id, stream);
                }
                channel.post(FrameType.ANSWER, number(id), MessageCodec.write(stream == null ? value : null));
                return;
            } catch (final IllegalArgumentException e) {
                // too long, for instance: the other end must not wait for it
                cause = e;
            }
        }
        final Throwable root = (cause instanceof CompletionException || cause instanceof ExecutionException) && cause.getCause() != null
            ? cause.getCause() : cause;
        channel.post(FrameType.FAILED, number(id), MessageCodec.write(
            new Failure(root instanceof final CallFailedException f ? f.status() : ExitStatus.NO_CLUSTER, Protocol.oneLine(root))));
    }

    private static byte[] number(final int id) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(id).array();
    }

    /** Receives a result. */
    void answered(final int id, final byte[] json, final boolean isFailure) throws IOException {
        final Pending call = pending.get(id);
        if (call == null) {
            throw new IllegalStateException("answer to no call: id=" + id + ", peer=" + channel.peer());
        }
        final OutgoingStream argument = outgoing.remove(id);
        if (argument != null) {
            argument.stop();
        }
        if (isFailure) {
            final Failure failure = MessageCodec.read(json, Failure.class);
            complete(id, call, null, new CallFailedException(failure.status(), String.valueOf(failure.text())));
        } else if (call.method().result() == InputStream.class) {
            complete(id, call, receive(id), null);
        } else {
            complete(id, call, MessageCodec.readResult(json, call.method().result()), null);
        }
    }

    private void complete(final int id, final Pending call, final @Nullable Object value, final @Nullable Exception failure) {
        forget(id, call.method());
        // what depends on the result may block, and must not run on a thread of the transport
        Thread.ofVirtual().name("tutti-answer").inheritInheritableThreadLocals(false).start(() -> {
            if (failure != null) {
                call.result().completeExceptionally(failure);
            } else if (!call.result().complete(value) && value instanceof final IncomingStream unwanted) {
                unwanted.close();
            }
        });
    }

    private void send(final int id, final InputStream from) {
        outgoing.put(id, new OutgoingStream(this, id, from));
    }

    /** Sends a piece of a stream; the sender gives up the array. */
    void send(final int id, final byte[] piece) {
        channel.post(FrameType.STREAM, id, DATA, piece);
    }

    /** Sends the end of a stream: {@link #END}, or {@link #BROKEN} with the reason. */
    void sendEnd(final int id, final byte how, final String reason) {
        outgoing.remove(id);
        channel.post(FrameType.STREAM, id, how, reason.getBytes(StandardCharsets.UTF_8));
    }

    /** Grants credit for more bytes of a stream. */
    void grant(final int id, final int bytes) {
        channel.post(FrameType.GRANT, id, bytes);
    }

    /** Says that no more bytes of a stream are wanted. */
    void stop(final int id) {
        incoming.remove(id);
        grant(id, STOP);
    }

    private IncomingStream receive(final int id) {
        final IncomingStream stream = new IncomingStream(this, id);
        if (incoming.put(id, stream) != null) {
            throw new IllegalStateException("number of a call used twice: id=" + id + ", peer=" + channel.peer());
        }
        final String reason = closed.getNow(null);
        if (reason != null) {
            stream.failed(reason);
        }
        return stream;
    }

    /** Receives bytes of a stream, or its end. */
    void streamed(final ByteBuffer in) {
        // what is positive for the sender is negative here
        final int id = -in.getInt();
        final byte kind = in.get();
        final byte[] bytes = ControlChannel.bytes(in, in.remaining());
        final IncomingStream stream = incoming.get(id);
        if (stream == null) {
            // its call has ended meanwhile
            return;
        }
        switch (kind) {
            case DATA -> stream.received(bytes);
            case END -> {
                incoming.remove(id);
                stream.end(null);
            }
            case BROKEN -> {
                incoming.remove(id);
                stream.failed(new String(bytes, StandardCharsets.UTF_8));
            }
            default -> throw new IllegalStateException("unknown kind of bytes of a stream: kind=" + kind + ", peer=" + channel.peer());
        }
    }

    /** Receives credit for a stream, or the order to stop it. */
    void granted(final ByteBuffer in) {
        final int id = -in.getInt();
        final int bytes = in.getInt();
        if (bytes < 0) {
            throw new IllegalStateException("credit out of range: bytes=" + bytes + ", min=0, peer=" + channel.peer());
        }
        final OutgoingStream stream = bytes == STOP ? outgoing.remove(id) : outgoing.get(id);
        if (stream != null && bytes == STOP) {
            stream.stop();
        } else if (stream != null) {
            stream.grant(bytes);
        }
    }

    /** Returns the stage of the end of the link, with its reason. It is completed by a thread of the transport. */
    public CompletionStage<String> closed() {
        return closed.minimalCompletionStage();
    }

    /** Ends all calls and streams: the link is lost. */
    void closed(final String reason) {
        closed.complete(reason);
        end(reason);
    }

    private void end(final String reason) {
        pending.forEach((id, call) -> complete(id, call, null, new IOException(reason)));
        incoming.values().forEach(s -> s.failed(reason));
        incoming.clear();
        outgoing.values().forEach(OutgoingStream::stop);
        outgoing.clear();
    }
}
