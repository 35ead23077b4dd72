package tutti.itest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.SocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A connection to a daemon on which a test writes the bytes of the protocol itself. */
final class RawLink implements AutoCloseable {
    /** Version of the control protocol. */
    static final int VERSION = 17;
    /** Roles, each of which includes those before it. */
    static final List<String> ROLES = List.of("observe", "run", "change", "node");
    /** Bytes of an answer to a hello before its reason. */
    private static final int ANSWER_HEADER = 12;
    private static final int NONCE_BYTES = 16;

    final Socket socket;
    private final int port;

    RawLink(final int port) throws IOException {
        this(port, SocketFactory.getDefault());
    }

    /** Connects by TLS, with the certificate in a file that {@code tutti secure} made. */
    RawLink(final int port, final Path certificate) throws Exception {
        this(port, tls(certificate));
    }

    private RawLink(final int port, final SocketFactory sockets) throws IOException {
        this.port = port;
        socket = sockets.createSocket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
    }

    private static SocketFactory tls(final Path certificate) throws Exception {
        final char[] password = "tutti-secret".toCharArray();
        final KeyStore own = KeyStore.getInstance(certificate.toFile(), password);
        final KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
        keys.init(own, password);
        final Certificate[] chain = own.getCertificateChain(own.aliases().nextElement());
        final KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("authority", chain[chain.length - 1]);
        final TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(trusted);
        final SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context.getSocketFactory();
    }

    /** Returns the first bytes of a connection: magic, version, purpose, and a payload whose length is stated as {@code payloadLength}. */
    static byte[] hello(final String purpose, final int payloadLength, final byte[] payload) {
        final byte[] name = purpose.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(12 + name.length + payload.length).order(ByteOrder.LITTLE_ENDIAN).put(new byte[] {(byte) 0x8A, 'T', 'u', 't'})
            .putShort((short) 1).put((byte) name.length).put((byte) 0).putInt(payloadLength).put(name).put(payload).array();
    }

    /** Returns a hello that is signed by the user's secret for a role. */
    static byte[] signed(final int port, final String role, final String purpose, final String json) {
        final byte[] body = json.getBytes(StandardCharsets.UTF_8);
        final byte[] nonce = new byte[NONCE_BYTES];
        ThreadLocalRandom.current().nextBytes(nonce);
        final byte[] head = ByteBuffer.allocate(2 + Long.BYTES + NONCE_BYTES).put((byte) 1).put((byte) ROLES.indexOf(role))
            .putLong(System.currentTimeMillis()).put(nonce).array();
        final byte[] name = purpose.getBytes(StandardCharsets.US_ASCII);
        final byte[] mac = mac(secret(role), head, ByteBuffer.allocate(8).putInt(port).putInt(name.length).array(), name, body);
        final byte[] payload = ByteBuffer.allocate(head.length + mac.length + body.length).put(head).put(mac).put(body).array();
        return hello(purpose, payload.length, payload);
    }

    /** Returns the user's secret for a role, which follows from that for nodes. */
    private static byte[] secret(final String role) {
        try {
            final String[] words = Files.readString(Path.of(System.getProperty("user.home"), ".tutti", "secret")).strip().split(" ");
            byte[] key = HexFormat.of().parseHex(words[2]);
            for (int r = ROLES.indexOf(words[1]); r > ROLES.indexOf(role); r--) {
                key = mac(key, ROLES.get(r - 1).getBytes(StandardCharsets.US_ASCII));
            }
            return key;
        } catch (final IOException e) {
            throw new IllegalStateException("the daemons of this user have made it", e);
        }
    }

    private static byte[] mac(final byte[] key, final byte[]... parts) {
        try {
            final Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            for (final byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has it", e);
        }
    }

    /** Returns the hello of a command. */
    static byte[] command(final int port, final String role) {
        return signed(port, role, "client", "{\"protocol\":" + VERSION + "}");
    }

    /** Returns the hello of a node that nobody knows, for a link of a purpose; {@code place} is null or that of a part of a job in quotes. */
    static byte[] node(final int port, final String purpose, final String name, final String place) {
        return signed(port, "node", purpose, node(name, place));
    }

    /** Returns what a node says of itself in a hello. */
    static String node(final String name, final String place) {
        return "{\"protocol\":" + VERSION + ",\"node\":{\"name\":\"" + name + "\",\"incarnation\":\"1\","
            + "\"host\":\"127.0.0.1\",\"port\":9,\"pid\":1,\"java\":\"25\",\"cores\":1,\"since\":1},\"place\":" + place + "}";
    }

    /** Returns a frame. */
    static byte[] frame(final int type, final byte[] content) {
        return ByteBuffer.allocate(5 + content.length).order(ByteOrder.LITTLE_ENDIAN).putInt(1 + content.length).put((byte) type).put(content)
            .array();
    }

    static byte[] frame(final int type, final String json) {
        return frame(type, json.getBytes(StandardCharsets.UTF_8));
    }

    int port() {
        return port;
    }

    RawLink send(final byte[] bytes) throws IOException {
        final OutputStream out = socket.getOutputStream();
        out.write(bytes);
        out.flush();
        return this;
    }

    /** Sends an empty frame, without which a daemon closes a link after 10 s; a link that is closed stays as it is. */
    RawLink heartbeat() {
        try {
            return send(new byte[4]);
        } catch (final IOException e) {
            return this;
        }
    }

    /** Reads the answer to a hello; returns the reason why the daemon refuses, empty when it accepts. */
    String answer() throws IOException {
        final InputStream in = socket.getInputStream();
        final byte[] header = in.readNBytes(ANSWER_HEADER);
        if (header.length < ANSWER_HEADER) {
            throw new IOException("no answer to the hello: bytes=" + header.length);
        }
        final String reason = new String(in.readNBytes(ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt(8)), StandardCharsets.UTF_8);
        if (header[6] == 0 != reason.isEmpty()) {
            throw new IOException("not an answer: verdict=" + header[6] + ", reason=" + reason);
        }
        return reason;
    }

    /** Reads the next frame that is not empty: its type and content; null at the end of the connection. */
    byte[] next() throws IOException {
        final InputStream in = socket.getInputStream();
        while (true) {
            final byte[] header = in.readNBytes(Integer.BYTES);
            final int bytes = header.length < Integer.BYTES ? 0 : ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt();
            final byte[] frame = in.readNBytes(bytes);
            if (header.length < Integer.BYTES || frame.length < bytes) {
                return null;
            }
            if (bytes > 0) {
                return frame;
            }
        }
    }

    /** Reads to the end of the connection; a reset is an end, too. */
    byte[] rest() throws IOException {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        final byte[] buffer = new byte[1 << 14];
        try {
            for (int n = socket.getInputStream().read(buffer); n >= 0; n = socket.getInputStream().read(buffer)) {
                all.write(buffer, 0, n);
            }
        } catch (final SocketTimeoutException e) {
            throw e;
        } catch (final IOException e) {
            return all.toByteArray();
        }
        return all.toByteArray();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
