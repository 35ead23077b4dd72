package tutti.daemon.protocol;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.deser.std.FromStringDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Version;

/** Codec of control messages: JSON, with a type byte from {@value #FIRST_MESSAGE} on for each kind of message. Safe for any thread. */
public final class MessageCodec {
    /** The first type byte of messages; channels use lower ones for frames without a message. */
    public static final int FIRST_MESSAGE = 16;

    /** The order is part of the protocol. */
    private static final List<Class<? extends Message>> MESSAGES = List.of(Message.Run.class, Message.CancelRun.class, Message.Accepted.class,
        Message.Done.class, Message.Prepare.class, Message.Prepared.class, Message.Connect.class, Message.Order.class, Message.Progress.class,
        Message.RankEnded.class, Message.NodeLost.class, Message.Inspect.class, Message.Inspected.class, Message.Placed.class,
        Message.PointOrder.class, Message.LastPoint.class, Message.Checkpointed.class, Message.PrepareJvm.class);
    private static final Map<Class<?>, Byte> TYPES = types();

    private static final ObjectMapper JSON = JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES, DeserializationFeature.FAIL_ON_TRAILING_TOKENS).addModule(versions()).build();

    /** Returns the Jackson module that writes a version as its text. */
    private static SimpleModule versions() {
        return new SimpleModule().addSerializer(Version.class, ToStringSerializer.instance)
            .addDeserializer(Version.class, new FromStringDeserializer<>(Version.class) {
                private static final long serialVersionUID = 1L;

                @Override
                protected Version _deserialize(final String text, final DeserializationContext context) {
                    return Version.parseVersion(text);
                }
            });
    }

    private MessageCodec() {
    }

    private static Map<Class<?>, Byte> types() {
        final Map<Class<?>, Byte> types = new HashMap<>();
        for (int i = 0; i < MESSAGES.size(); i++) {
            types.put(MESSAGES.get(i), (byte) (FIRST_MESSAGE + i));
        }
        return Map.copyOf(types);
    }

    /** Returns the type byte of a message. */
    public static byte type(final Message message) {
        return Objects.requireNonNull(TYPES.get(message.getClass()), "kind of message missing in MESSAGES");
    }

    /** Returns a record of the protocol, or null, as JSON. */
    public static byte[] write(final @Nullable Object value) {
        try {
            return JSON.writeValueAsBytes(value);
        } catch (final JsonProcessingException e) {
            throw new IllegalArgumentException("not a message: class=" + (value == null ? null : value.getClass().getName()), e);
        }
    }

    /**
     * Reads a JSON array of values.
     *
     * @throws IOException when the bytes are not an array of values of these types, or a value is invalid or null
     */
    public static @Nullable Object[] readAll(final byte[] json, final List<Type> types) throws IOException {
        final @Nullable Object[] all = new Object[types.size()];
        try (JsonParser in = JSON.createParser(json)) {
            expect(in.nextToken() == JsonToken.START_ARRAY, types);
            for (int i = 0; i < all.length; i++) {
                final JsonToken next = in.nextToken();
                expect(next != null && next != JsonToken.END_ARRAY && next != JsonToken.VALUE_NULL, types);
                all[i] = JSON.readerFor(JSON.constructType(types.get(i))).without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).readValue(in);
            }
            expect(in.nextToken() == JsonToken.END_ARRAY && in.nextToken() == null, types);
        }
        return all;
    }

    private static void expect(final boolean isTrue, final List<Type> types) throws IOException {
        if (!isTrue) {
            throw new IOException("not an array of values of the types " + types);
        }
    }

    /**
     * Reads a value that may be null.
     *
     * @throws IOException when the bytes are not JSON of that type, or a value is invalid
     */
    public static @Nullable Object readResult(final byte[] json, final Type type) throws IOException {
        return JSON.readValue(json, JSON.constructType(type));
    }

    /** Returns a record of the protocol as JSON text, for a field of a message. */
    public static String text(final Object value) {
        return new String(write(value), StandardCharsets.UTF_8);
    }

    /** Returns a value as indented JSON, for {@code --json} output. */
    public static String pretty(final Object value) {
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(value);
        } catch (final JsonProcessingException e) {
            throw new IllegalArgumentException("not a message: class=" + value.getClass().getName(), e);
        }
    }

    /**
     * Reads a record.
     *
     * @throws IOException when the bytes are not JSON of that record, or a value is invalid
     */
    public static <T> T read(final byte[] json, final Class<T> type) throws IOException {
        final T value = JSON.readValue(json, type);
        if (value == null) {
            throw new IOException("message is empty: type=" + type.getSimpleName());
        }
        return value;
    }

    /** Reads a record from JSON text, as the other form does from bytes. */
    public static <T> T read(final String json, final Class<T> type) throws IOException {
        return read(json.getBytes(StandardCharsets.UTF_8), type);
    }

    /**
     * Reads a message.
     *
     * @throws IOException when there is no such type, the bytes are not JSON of that message, or a value is invalid
     */
    public static Message read(final byte type, final byte[] json) throws IOException {
        final int index = type - FIRST_MESSAGE;
        if (index < 0 || index >= MESSAGES.size()) {
            throw new IOException("unknown type of message: type=" + type + ", range=" + FIRST_MESSAGE + ".."
                + (FIRST_MESSAGE + MESSAGES.size() - 1));
        }
        return read(json, MESSAGES.get(index));
    }
}
