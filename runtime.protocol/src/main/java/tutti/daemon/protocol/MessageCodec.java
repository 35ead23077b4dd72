package tutti.daemon.protocol;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.deser.std.FromStringDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Version;
import tutti.runtime.policy.ConditionValues;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.WordSet;

/** Codec of what the control protocol carries: records as JSON. Safe for any thread. */
public final class MessageCodec {
    private static final ObjectMapper JSON = JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES, DeserializationFeature.FAIL_ON_TRAILING_TOKENS).addModule(types()).build();

    /** Returns the Jackson module that writes a version as its text, and reads values of conditions, which are of two types. */
    private static SimpleModule types() {
        return new SimpleModule().addSerializer(Version.class, ToStringSerializer.instance)
            .addDeserializer(Version.class, new FromStringDeserializer<>(Version.class) {
                private static final long serialVersionUID = 1L;

                @Override
                protected Version _deserialize(final String text, final DeserializationContext context) {
                    return Version.parseVersion(text);
                }
            }).addDeserializer(ConditionValues.class, new JsonDeserializer<>() {
                @Override
                public ConditionValues deserialize(final JsonParser in, final DeserializationContext context) throws IOException {
                    final JsonNode values = context.readTree(in);
                    final Class<? extends ConditionValues> type = values.has("words") ? WordSet.class : LongRange.class;
                    return context.readTreeAsValue(values, type);
                }
            });
    }

    private MessageCodec() {
    }

    /** Returns a record of the protocol, or null, as JSON. */
    public static byte[] write(final @Nullable Object value) {
        try {
            return JSON.writeValueAsBytes(value);
        } catch (final JsonProcessingException e) {
            // Cause: an internal error. Remedy: report it.
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
}
