// Uploads a file by a client that was generated from the OpenAPI document, and reads it again.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
)

func main() {
	url, key, name, content := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-Api-Key", key)
		return nil
	}
	client, err := NewClientWithResponses(url, WithRequestEditorFn(withKey))
	if err != nil {
		panic(err)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, _ := form.CreateFormFile("file", name)
	_, _ = part.Write([]byte(content))
	_ = form.Close()
	uploaded, err := client.UploadMediaWithBodyWithResponse(context.Background(), nil, form.FormDataContentType(), &body)
	if err != nil || uploaded.JSON200 == nil {
		panic(fmt.Sprint(err, string(uploaded.Body)))
	}
	id := uploaded.JSON200.Data.MediaId
	read, err := client.ReadMediaWithResponse(context.Background(), id, nil)
	if err != nil || read.JSON200 == nil {
		panic(fmt.Sprint(err, string(read.Body)))
	}
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"media_id": id, "filename": read.JSON200.Data.FileInfo.Filename})
}
