/*
 * Pictures and sound of one file, for a host that drives this module call by call. One file an instance.
 * The host gives the bytes (`read`); nothing else of it is reachable from here.
 * Numbers returned: 1 there is something, 0 the end, 2 call again (so that the host can look at its budget), below 0 see
 * the names beneath.
 */
#include <math.h>
#include <string.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/mem.h>
#include <libswscale/swscale.h>

#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("host"), import_name(#name)))

enum { MORE = 1, END = 0, AGAIN = 2, UNREADABLE = -1, NO_STREAM = -2, NO_DECODER = -3 };
/* What hostile files may cost: a larger picture is refused, so is a larger block of memory. */
#define MOST_PIXELS (36 * 1000 * 1000)
#define MOST_BYTES_AT_ONCE (192 << 20)
#define MOST_CHANNELS 32
#define MOST_PACKETS 2000000
#define PACKETS_A_CALL 16
#define JPEG_QUALITY 4

IMPORT(read) int host_read(uint8_t *to, int offset, int length);

static int file_size, file_at;
static AVFormatContext *format;
static AVCodecContext *codec;
static AVStream *stream;
static AVPacket *packet;
static AVFrame *frame;
static int packets, at_end, draining;
static double frame_time;

static uint8_t *picture;
static int picture_width, picture_height;
static uint8_t *jpeg;
static int jpeg_size;
static float *sound;

static int on_read(void *opaque, uint8_t *to, int length)
{
    int got = host_read(to, file_at, length);
    if (got <= 0)
        return AVERROR_EOF;
    file_at += got;
    return got;
}

static int64_t on_seek(void *opaque, int64_t offset, int whence)
{
    if (whence & AVSEEK_SIZE)
        return file_size;
    whence &= ~AVSEEK_FORCE;
    if (whence == SEEK_CUR)
        offset += file_at;
    else if (whence == SEEK_END)
        offset += file_size;
    if (offset < 0 || offset > file_size)
        return AVERROR(EINVAL);
    file_at = (int)offset;
    return offset;
}

/* Other files are never opened, whatever a playlist or a reference inside says. */
static int on_open(AVFormatContext *context, AVIOContext **io, const char *url, int flags, AVDictionary **options)
{
    return AVERROR(EPERM);
}

EXPORT(open_file) int open_file(int size)
{
    av_log_set_level(AV_LOG_QUIET);
    av_max_alloc(MOST_BYTES_AT_ONCE);
    file_size = size;
    AVIOContext *io = avio_alloc_context(av_malloc(1 << 16), 1 << 16, 0, NULL, on_read, NULL, on_seek);
    format = avformat_alloc_context();
    packet = av_packet_alloc();
    frame = av_frame_alloc();
    if (!io || !format || !packet || !frame)
        return UNREADABLE;
    format->pb = io;
    format->io_open = on_open;
    format->flags |= AVFMT_FLAG_CUSTOM_IO;
    format->max_analyze_duration = 5 * AV_TIME_BASE;
    if (avformat_open_input(&format, NULL, NULL, NULL) < 0)
        return UNREADABLE;
    return avformat_find_stream_info(format, NULL) < 0 ? UNREADABLE : MORE;
}

/* Opens the stream that a player would choose: pictures (0) or sound (1). */
EXPORT(open_stream) int open_stream(int kind)
{
    const AVCodec *decoder = NULL;
    enum AVMediaType type = kind == 0 ? AVMEDIA_TYPE_VIDEO : AVMEDIA_TYPE_AUDIO;
    int index = av_find_best_stream(format, type, -1, -1, &decoder, 0);
    if (index == AVERROR_DECODER_NOT_FOUND)
        return NO_DECODER;
    if (index < 0)
        return NO_STREAM;
    stream = format->streams[index];
    if (stream->disposition & AV_DISPOSITION_ATTACHED_PIC)
        return NO_STREAM;
    for (unsigned i = 0; i < format->nb_streams; i++)
        format->streams[i]->discard = (int)i == index ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    codec = avcodec_alloc_context3(decoder);
    if (!codec || avcodec_parameters_to_context(codec, stream->codecpar) < 0)
        return UNREADABLE;
    codec->pkt_timebase = stream->time_base;
    codec->max_pixels = MOST_PIXELS;
    codec->flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT;
    return avcodec_open2(codec, decoder, NULL) < 0 ? NO_DECODER : MORE;
}

static double seconds(int64_t stamp)
{
    int64_t start = stream->start_time == AV_NOPTS_VALUE ? 0 : stream->start_time;
    return stamp == AV_NOPTS_VALUE ? -1 : (double)(stamp - start) * av_q2d(stream->time_base);
}

static double packet_time(void)
{
    return seconds(packet->pts == AV_NOPTS_VALUE ? packet->dts : packet->pts);
}

/* The next packet of the stream that was opened. */
static int next_packet(void)
{
    while (packets++ < MOST_PACKETS) {
        av_packet_unref(packet);
        if (av_read_frame(format, packet) < 0)
            return END;
        if (packet->stream_index == stream->index)
            return MORE;
    }
    return END;
}

static int next_frame(void)
{
    for (int tries = 0; tries < PACKETS_A_CALL;) {
        int got = avcodec_receive_frame(codec, frame);
        if (got == 0) {
            frame_time = seconds(frame->best_effort_timestamp);
            return MORE;
        }
        if (got == AVERROR_EOF)
            return END;
        tries++;
        if (at_end) {
            /* A decoder that refuses to end is ended. */
            if (draining++ > 0)
                return END;
            avcodec_send_packet(codec, NULL);
        } else if (next_packet() == MORE) {
            /* What a damaged packet leaves out, the next one may hold again. */
            avcodec_send_packet(codec, packet);
        } else {
            at_end = 1;
        }
    }
    return AGAIN;
}

/* The picture of the next key packet that is not shown before `from` seconds; those between are not decoded. */
static int next_key_frame(double from)
{
    for (int tries = 0; tries < PACKETS_A_CALL; tries++) {
        do {
            if (next_packet() == END)
                return END;
        } while (!(packet->flags & AV_PKT_FLAG_KEY) || packet_time() < from);
        double time = packet_time();
        avcodec_flush_buffers(codec);
        avcodec_send_packet(codec, packet);
        avcodec_send_packet(codec, NULL);
        if (avcodec_receive_frame(codec, frame) == 0) {
            frame_time = time;
            return MORE;
        }
    }
    return AGAIN;
}

EXPORT(next_picture) int next_picture(int keys_only, double from)
{
    return keys_only ? next_key_frame(from) : next_frame();
}

/* From the beginning once more. */
EXPORT(rewind_stream) int rewind_stream(void)
{
    packets = at_end = draining = 0;
    avcodec_flush_buffers(codec);
    return avformat_seek_file(format, -1, INT64_MIN, INT64_MIN + 1, INT64_MAX, 0) < 0 &&
                   av_seek_frame(format, -1, 0, AVSEEK_FLAG_BACKWARD | AVSEEK_FLAG_BYTE) < 0
               ? UNREADABLE
               : MORE;
}

EXPORT(time_of_frame) double time_of_frame(void) { return frame_time; }
EXPORT(width_of_frame) int width_of_frame(void) { return frame->width; }
EXPORT(height_of_frame) int height_of_frame(void) { return frame->height; }

/* Degrees by which a player turns the pictures, clockwise: 0, 90, 180, 270. */
static int turn(void)
{
    const AVPacketSideData *side = av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    if (!side || side->size < 9 * sizeof(int32_t))
        return 0;
    double angle = av_display_rotation_get((const int32_t *)side->data);
    return isnan(angle) ? 0 : ((int)lround(-angle / 90) % 4 + 4) % 4 * 90;
}

static struct SwsContext *scaler(int width, int height, enum AVPixelFormat from, int to_width, int to_height,
                                 enum AVPixelFormat to, const AVFrame *colours)
{
    struct SwsContext *sws = sws_getContext(width, height, from, to_width, to_height, to,
                                            SWS_AREA | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_BITEXACT, NULL, NULL, NULL);
    if (!sws || !colours)
        return sws;
    /* Unsaid, as players take it: BT.709 for high definition, BT.601 below. */
    int matrix = colours->colorspace == AVCOL_SPC_UNSPECIFIED ? (height >= 720 ? SWS_CS_ITU709 : SWS_CS_ITU601)
                                                             : (int)colours->colorspace;
    sws_setColorspaceDetails(sws, sws_getCoefficients(matrix), colours->color_range == AVCOL_RANGE_JPEG,
                             sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
    return sws;
}

/* Turns RGB clockwise by a quarter. */
static uint8_t *turned(uint8_t *rgb, int width, int height)
{
    uint8_t *out = av_malloc(3 * width * height);
    for (int y = 0; out && y < height; y++)
        for (int x = 0; x < width; x++)
            memcpy(out + 3 * (x * height + height - 1 - y), rgb + 3 * (y * width + x), 3);
    av_free(rgb);
    return out;
}

/* The frame as it is shown, RGB, at most `side` pixels wide and high, in `picture_data`. */
EXPORT(draw) int draw(int side)
{
    AVRational aspect = av_guess_sample_aspect_ratio(format, stream, frame);
    double stretch = aspect.num > 0 && aspect.den > 0 ? av_q2d(aspect) : 1;
    if (!(stretch > 0.1 && stretch < 10))
        stretch = 1;
    double wide = frame->width * stretch, high = frame->height;
    double scale = fmin(1, side / fmax(wide, high));
    int width = (int)fmax(1, round(wide * scale)), height = (int)fmax(1, round(high * scale));
    av_freep(&picture);
    picture = av_malloc(3 * width * height + 64);
    struct SwsContext *sws = scaler(frame->width, frame->height, frame->format, width, height, AV_PIX_FMT_RGB24, frame);
    if (!picture || !sws)
        return UNREADABLE;
    int drawn = sws_scale(sws, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height,
                          (uint8_t *[]){picture, NULL, NULL, NULL}, (int[]){3 * width, 0, 0, 0});
    sws_freeContext(sws);
    if (drawn != height)
        return UNREADABLE;
    for (int quarters = turn() / 90; quarters > 0 && picture; quarters--) {
        picture = turned(picture, width, height);
        int swap = width;
        width = height;
        height = swap;
    }
    picture_width = width;
    picture_height = height;
    return picture ? MORE : UNREADABLE;
}

EXPORT(picture_data) uint8_t *picture_data(void) { return picture; }
EXPORT(width_of_picture) int width_of_picture(void) { return picture_width; }
EXPORT(height_of_picture) int height_of_picture(void) { return picture_height; }

static int encode(AVFrame *image, AVPacket *out)
{
    AVCodecContext *encoder = avcodec_alloc_context3(avcodec_find_encoder(AV_CODEC_ID_MJPEG));
    if (!encoder)
        return UNREADABLE;
    encoder->width = image->width;
    encoder->height = image->height;
    encoder->pix_fmt = image->format;
    encoder->color_range = AVCOL_RANGE_JPEG;
    encoder->time_base = (AVRational){1, 25};
    encoder->flags |= AV_CODEC_FLAG_QSCALE | AV_CODEC_FLAG_BITEXACT;
    encoder->global_quality = FF_QP2LAMBDA * JPEG_QUALITY;
    image->quality = encoder->global_quality;
    int made = avcodec_open2(encoder, NULL, NULL) >= 0 && avcodec_send_frame(encoder, image) >= 0 &&
               avcodec_receive_packet(encoder, out) >= 0;
    avcodec_free_context(&encoder);
    return made ? MORE : UNREADABLE;
}

/* `width` x `height` RGB pixels at `rgb` as a JPEG in `jpeg_data`; its length in bytes, or below 0. */
EXPORT(compress) int compress(uint8_t *rgb, int width, int height)
{
    AVFrame *image = av_frame_alloc();
    AVPacket *out = av_packet_alloc();
    struct SwsContext *sws = scaler(width, height, AV_PIX_FMT_RGB24, width, height, AV_PIX_FMT_YUVJ420P, NULL);
    jpeg_size = UNREADABLE;
    av_freep(&jpeg);
    if (image && out && sws) {
        image->format = AV_PIX_FMT_YUVJ420P;
        image->width = width;
        image->height = height;
        image->color_range = AVCOL_RANGE_JPEG;
        if (av_frame_get_buffer(image, 0) >= 0) {
            sws_scale(sws, (const uint8_t *const[]){rgb, NULL, NULL, NULL}, (int[]){3 * width, 0, 0, 0}, 0, height,
                      image->data, image->linesize);
            if (encode(image, out) == MORE && (jpeg = av_memdup(out->data, out->size)))
                jpeg_size = out->size;
        }
    }
    sws_freeContext(sws);
    av_packet_free(&out);
    av_frame_free(&image);
    return jpeg_size;
}

EXPORT(jpeg_data) uint8_t *jpeg_data(void) { return jpeg; }
EXPORT(reserve) uint8_t *reserve(int size) { return av_malloc(size); }
EXPORT(release) void release(uint8_t *block) { av_free(block); }

EXPORT(rate_of_sound) int rate_of_sound(void) { return codec->sample_rate; }
EXPORT(channels_of_sound) int channels_of_sound(void) { return codec->ch_layout.nb_channels; }

/* Weight of a channel in the loudness of ITU-R BS.1770-5, table 4: surround counts 1.41, low frequency effects do not. */
EXPORT(weight_of_channel) double weight_of_channel(int channel)
{
    switch (av_channel_layout_channel_from_index(&codec->ch_layout, channel)) {
    case AV_CHAN_LOW_FREQUENCY:
    case AV_CHAN_LOW_FREQUENCY_2:
        return 0;
    case AV_CHAN_SIDE_LEFT:
    case AV_CHAN_SIDE_RIGHT:
    case AV_CHAN_BACK_LEFT:
    case AV_CHAN_BACK_RIGHT:
        return 1.41;
    default:
        return 1;
    }
}

static float sample(const uint8_t *data, enum AVSampleFormat of, int index)
{
    switch (of) {
    case AV_SAMPLE_FMT_U8: return (data[index] - 128) / 128.0f;
    case AV_SAMPLE_FMT_S16: return ((const int16_t *)data)[index] / 32768.0f;
    case AV_SAMPLE_FMT_S32: return (float)(((const int32_t *)data)[index] / 2147483648.0);
    case AV_SAMPLE_FMT_FLT: return ((const float *)data)[index];
    case AV_SAMPLE_FMT_DBL: return (float)((const double *)data)[index];
    default: return NAN;
    }
}

/* The next samples: a run of floats for each channel, one run behind the other, in `sound_data`. */
EXPORT(next_sound) int next_sound(void)
{
    int got = next_frame();
    if (got != MORE)
        return got;
    int channels = frame->ch_layout.nb_channels, count = frame->nb_samples;
    if (channels < 1 || channels > MOST_CHANNELS || channels != codec->ch_layout.nb_channels || count < 0)
        return UNREADABLE;
    enum AVSampleFormat of = av_get_packed_sample_fmt(frame->format);
    int planar = av_sample_fmt_is_planar(frame->format);
    av_freep(&sound);
    sound = av_malloc(sizeof(float) * channels * count + 64);
    if (!sound)
        return UNREADABLE;
    for (int channel = 0; channel < channels; channel++)
        for (int i = 0; i < count; i++)
            sound[channel * count + i] = planar ? sample(frame->extended_data[channel], of, i)
                                                : sample(frame->extended_data[0], of, i * channels + channel);
    return MORE;
}

EXPORT(sound_data) float *sound_data(void) { return sound; }
EXPORT(samples_of_sound) int samples_of_sound(void) { return frame->nb_samples; }
